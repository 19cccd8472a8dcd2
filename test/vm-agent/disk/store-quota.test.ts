import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SNAPSHOT_EVERY_MS } from '../../../vm-agent/disk/snapshot-schedule.ts';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { checkProperty } from '../../support/property.ts';
import { bytesUnder, OpenStore, screenOf, temporaryDirectory } from './some-session.ts';

const kB = 1024;

let dir: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  dir = temporaryDirectory();
});
afterEach(() => dir.remove());

const open = (quotaBytes: number) => OpenStore.at(join(dir.path, 'state'), quotaBytes);

describe('the quota of a state directory', () => {
  it('[R10] requests the screen of the session with the oldest journal first', async () => {
    const agent = await open(200 * kB);
    const [old, young] = [agent.session('old'), agent.session('young')];
    old.prints('o'.repeat(60 * kB));
    await agent.passes(FLUSH_MS);
    await young.draws();
    young.prints('y'.repeat(60 * kB));
    await agent.passes(FLUSH_MS);
    expect([old.isAsked, young.isAsked]).toEqual([false, false]);
    young.prints('y'.repeat(40 * kB));
    await agent.passes(2 * FLUSH_MS);
    expect([old.isAsked, young.isAsked]).toEqual([true, false]);
    await agent.store.close();
  });

  it('[R10] removes the screen of an exited session before that of a running one, and reports it', async () => {
    const agent = await open(200 * kB);
    const [exited, quiet, busy] = [agent.session('exited'), agent.session('quiet'), agent.session('busy')];
    quiet.prints('q'.repeat(50 * kB));
    await agent.passes(FLUSH_MS);
    exited.prints('e'.repeat(50 * kB));
    exited.stored.updateMetadata({ exit: { code: 0, signal: null } });
    await agent.passes(FLUSH_MS);
    busy.prints('b'.repeat(60 * kB));
    await agent.passes(FLUSH_MS);
    busy.prints('b'.repeat(60 * kB));
    await agent.passes(FLUSH_MS);
    expect(agent.warnings).toEqual([
      {
        code: 'dropped',
        message: 'To stay within 204800 bytes, the saved screens of these sessions were deleted: exited.',
      },
    ]);
    await agent.store.close();
    const next = await open(200 * kB);
    expect(next.found('exited')).toMatchObject({
      metadata: { exit: { code: 0 } },
      snapshot: null,
      replay: [],
    });
    expect(screenOf(next.found('quiet'))).toBe(quiet.printed);
    expect(screenOf(next.found('busy'))).toBe(busy.printed);
    await next.store.close();
  });

  it("[R10] truncates a session's own journal rather than removing the screen of a running one", async () => {
    const agent = await open(200 * kB);
    const [quiet, busy] = [agent.session('quiet'), agent.session('busy')];
    quiet.prints('q'.repeat(20 * kB));
    await agent.passes(FLUSH_MS);
    for (let step = 0; step < 20; step++) {
      busy.prints('b'.repeat(30 * kB));
      await agent.passes(FLUSH_MS);
      if (busy.isAsked) await busy.drawsTail();
    }
    expect(agent.codes).not.toContain('dropped');
    await agent.store.close();
    const next = await open(200 * kB);
    expect(screenOf(next.found('quiet'))).toBe(quiet.printed);
    expect(next.found('busy').end).toBe(busy.printed.length);
    await next.store.close();
  });

  it('[R10] counts the journal that a screen replaces as free space', async () => {
    const agent = await open(200 * kB);
    const [quiet, busy] = [agent.session('quiet'), agent.session('busy')];
    quiet.prints('q'.repeat(20 * kB));
    for (let step = 0; step < 5; step++) {
      busy.prints('b'.repeat(30 * kB));
      await agent.passes(FLUSH_MS);
    }
    expect(await busy.drawsTail(60_000)).toBe(true);
    expect(agent.warnings).toEqual([]);
    await agent.store.close();
  });

  it('[R10] includes quarantined files, which are removed first', async () => {
    const agent = await open(200 * kB);
    const session = agent.session('s1');
    session.prints('x'.repeat(60 * kB));
    await agent.passes(FLUSH_MS);
    await agent.store.close();
    writeFileSync(join(agent.dir, 'sessions/s1/snapshot'), Buffer.alloc(100 * kB));
    const next = await open(200 * kB);
    expect(next.store.usedBytes).toBe(bytesUnder(next.dir));
    const other = next.session('s2');
    other.prints('x'.repeat(60 * kB));
    await next.passes(FLUSH_MS);
    expect(next.codes).toEqual(['set_aside']);
    expect(readdirSync(join(next.dir, 'corrupt'))).toEqual([]);
    await next.store.close();
  });

  it('[R10] drops the quietest session for the screen of a busy one, and restores it when there is space', async () => {
    const agent = await open(200 * kB);
    const [quiet, busy] = [agent.session('quiet'), agent.session('busy')];
    quiet.prints('q'.repeat(50 * kB));
    await agent.passes(FLUSH_MS);
    busy.prints('b'.repeat(90 * kB));
    await agent.passes(FLUSH_MS);
    expect(await busy.draws()).toBe(true);
    busy.prints('b');
    await agent.passes(FLUSH_MS);
    expect(await busy.draws()).toBe(true);
    expect(agent.codes).toEqual(['dropped']);
    quiet.prints('q');
    quiet.isAsked = false;
    await agent.passes(60_000);
    expect(quiet.isAsked).toBe(false);

    await busy.stored.remove();
    await agent.passes(SNAPSHOT_EVERY_MS);
    expect(quiet.isAsked).toBe(true);
    expect(await quiet.draws()).toBe(true);
    await agent.store.close();
    const next = await open(200 * kB);
    expect(screenOf(next.found('quiet'))).toBe(quiet.printed);
    await next.store.close();
  });

  it('[R10] is not freed for a screen that can never fit, which is reported once', async () => {
    const agent = await open(100 * kB);
    const [small, large] = [agent.session('small'), agent.session('large')];
    small.prints('s'.repeat(10 * kB));
    await agent.passes(FLUSH_MS);
    large.prints('l'.repeat(150 * kB));
    for (let step = 0; step < 30; step++) {
      await agent.passes(1000);
      if (large.isAsked) expect(await large.draws()).toBe(false);
    }
    expect(agent.warnings).toMatchObject([
      { code: 'failing', message: expect.stringContaining('the quota is used up') },
    ]);
    await agent.store.close();
    const next = await open(100 * kB);
    expect(screenOf(next.found('small'))).toBe(small.printed);
    await next.store.close();
  });

  it('[R10] that was lowered is met from the start', async () => {
    const agent = await open(200 * kB);
    for (const id of ['a', 'b', 'c']) {
      agent.session(id).prints('x'.repeat(50 * kB));
      await agent.passes(FLUSH_MS);
    }
    await agent.store.close();
    const next = await open(120 * kB);
    expect(next.codes).toEqual(['dropped']);
    expect(bytesUnder(next.dir)).toBeLessThanOrEqual(120 * kB);
    expect(next.recovered.length).toBe(3);
    await next.store.close();
  });

  it('[R10] is never exceeded, whatever sessions do', async () => {
    const step = fc.record({
      who: fc.nat(3),
      what: fc.constantFrom('print', 'print', 'print', 'draw', 'exit', 'rename', 'remove'),
      bytes: fc.nat(30 * kB),
      ms: fc.constantFrom(0, FLUSH_MS, 6000),
    });
    await checkProperty(
      'store-quota',
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const under = temporaryDirectory();
        const quota = 64 * kB;
        const agent = await OpenStore.at(under.path, quota);
        const sessions = [0, 1, 2, 3].map((index) => agent.session(`s${index}`));
        for (const { who, what, bytes, ms } of steps) {
          const session = sessions[who];
          if (session === undefined) continue;
          if (what === 'print') session.prints('x'.repeat(bytes));
          if (what === 'draw') await session.drawsTail();
          if (what === 'exit') session.stored.updateMetadata({ exit: { code: 1, signal: null } });
          if (what === 'rename') session.stored.updateMetadata({ name: 'n'.repeat(bytes % 200) });
          if (what === 'remove') await session.stored.remove();
          await agent.passes(ms);
          for (const asked of sessions.filter(({ isAsked }) => isAsked)) await asked.drawsTail();
          expect(bytesUnder(under.path)).toBeLessThanOrEqual(quota);
          expect(agent.store.usedBytes).toBe(bytesUnder(under.path));
        }
        await agent.store.close();
        const next = await OpenStore.at(under.path, quota);
        expect(next.codes.filter((code) => code !== 'dropped')).toEqual([]);
        await next.store.close();
        under.remove();
      }),
      { numRuns: 40 },
    );
  });
});
