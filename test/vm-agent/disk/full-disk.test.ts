import { execFileSync } from 'node:child_process';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOURNAL_MAX_BYTES } from '../../../vm-agent/disk/output-journal.ts';
import { RETRY_MS, SNAPSHOT_EVERY_MS } from '../../../vm-agent/disk/snapshot-schedule.ts';
import { FLUSH_MS, MEMORY_MAX_BYTES } from '../../../vm-agent/disk/state-store.ts';
import { SmallDisk } from './small-disk.ts';
import { crashCopy, OpenStore, screenOf, temporaryDirectory } from './some-session.ts';

let dir: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  dir = temporaryDirectory();
});
afterEach(() => dir.remove());

async function afterCrash(agent: OpenStore): Promise<OpenStore> {
  const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
  await next.store.close();
  return next;
}

const whyNot = SmallDisk.whyNot();

describe.skipIf(whyNot !== null)(`a full disk${whyNot === null ? '' : ` (skipped: ${whyNot})`}`, () => {
  let disk: SmallDisk;
  let agent: OpenStore;
  beforeEach(async () => {
    disk = new SmallDisk();
    agent = await OpenStore.at(join(disk.path, 'state'));
  });
  afterEach(async () => {
    await agent.store.close();
    disk[Symbol.dispose]();
  });

  it('[R10] [F20] is reported once; sessions continue, and are saved again when there is space', async () => {
    const [one, two] = [agent.session('s1'), agent.session('s2')];
    one.prints('saved, ');
    await agent.passes(FLUSH_MS);
    disk.fill();
    for (let step = 0; step < 40; step++) {
      one.prints(`not saved ${step}, ${'x'.repeat(1000)} `);
      two.prints('nor this, ');
      await agent.passes(FLUSH_MS);
      if (one.isAsked) expect(await one.draws()).toBe(false);
    }
    expect(agent.codes).toEqual(['failing']);
    expect(agent.warnings[0]?.message).toMatch(
      /^Terminals keep running, but their output is not saved in .*: ENOSPC: no space left on device/,
    );
    const during = await afterCrash(agent);
    expect(screenOf(during.found('s1'))).toMatch(/^saved, /);
    expect(during.warnings).toEqual([]);

    disk.free();
    await agent.passes(RETRY_MS);
    expect([one.isAsked, two.isAsked]).toEqual([true, true]);
    one.prints('while it is drawn, ');
    expect(await one.draws()).toBe(true);
    expect(agent.codes).toEqual(['failing']);
    expect(await two.draws()).toBe(true);
    expect(agent.codes).toEqual(['failing', 'working']);
    one.prints('and after.');
    await agent.passes(FLUSH_MS);
    const after = await afterCrash(agent);
    expect(screenOf(after.found('s1'))).toBe(one.printed);
    expect(screenOf(after.found('s2'))).toBe(two.printed);
    expect(after.found('s1').lostBytes).toBe(0);
  });

  it('[R10] keeps what was printed between drawing a screen and writing it', async () => {
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    disk.fill();
    session.prints('lost to the journal, ');
    await agent.passes(FLUSH_MS + RETRY_MS);
    disk.free();
    const drawn = session.printed.length;
    session.prints('printed meanwhile');
    expect(await session.draws(drawn)).toBe(true);
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash(agent)).found('s1'))).toBe(session.printed);
  });

  it('[R10] requests the screen again if it is older than what was lost', async () => {
    const session = agent.session('s1');
    session.prints('saved, ');
    await agent.passes(FLUSH_MS);
    const early = session.printed.length;
    disk.fill();
    session.prints('lost to the journal, '.repeat(1000));
    await agent.passes(FLUSH_MS + RETRY_MS);
    disk.free();
    expect(await session.draws(early)).toBe(true);
    session.prints('more');
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash(agent)).found('s1'))).toBe('saved, ');
    await agent.passes(SNAPSHOT_EVERY_MS);
    expect(session.isAsked).toBe(true);
    await session.draws();
    expect(agent.codes).toEqual(['failing', 'working']);
    expect(screenOf((await afterCrash(agent)).found('s1'))).toBe(session.printed);
  });

  it('[R10] does not prevent a session started on it from being saved later', async () => {
    disk.fill();
    const session = agent.session('s1');
    session.prints('begun on a full disk');
    await agent.passes(4 * FLUSH_MS);
    expect(agent.codes).toEqual(['failing']);
    disk.free();
    await agent.passes(RETRY_MS + FLUSH_MS);
    expect(agent.codes).toEqual(['failing', 'working']);
    expect(screenOf((await afterCrash(agent)).found('s1'))).toBe(session.printed);
  });

  it('[R9] does not prevent a restarted agent from restoring its sessions', async () => {
    agent.session('s1').prints('still there');
    await agent.passes(FLUSH_MS);
    await agent.store.close();
    disk.fill();
    agent = await OpenStore.at(agent.dir);
    expect(screenOf(agent.found('s1'))).toBe('still there');
    agent.revive('s1').prints('on');
    await agent.passes(FLUSH_MS);
    expect(agent.codes).toEqual(['failing']);
  });

  it('[R10] allows sessions to be removed', async () => {
    const session = agent.session('s1');
    session.prints('x'.repeat(10_000));
    await agent.passes(FLUSH_MS);
    disk.fill();
    session.prints('more than fits the last page'.repeat(1000));
    await agent.passes(FLUSH_MS);
    await session.stored.remove();
    expect(agent.codes).toEqual(['failing', 'working']);
    expect(agent.store.usedBytes).toBe(0);
  });
});

describe('a disk that does not answer', () => {
  it('[R10] costs bounded memory and one warning; sessions continue, and are saved again', async () => {
    const agent = await OpenStore.at(join(dir.path, 'state'));
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    // Opening a pipe for writing waits until somebody reads from it.
    const pipe = join(agent.dir, 'sessions/s1/journal-0');
    execFileSync('mkfifo', [pipe]);
    session.prints('x'.repeat(64 * 1024));
    await new Promise(setImmediate);
    for (let chunk = 0; chunk < 300; chunk++) session.prints('x'.repeat(64 * 1024));
    expect(agent.store.heldBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(agent.warnings).toMatchObject([
      { code: 'failing', message: expect.stringContaining('the disk is too slow') },
    ]);

    createReadStream(pipe).resume();
    await agent.store.settled();
    rmSync(pipe);
    await agent.passes(RETRY_MS);
    expect(session.isAsked).toBe(true);
    expect(await session.draws()).toBe(true);
    session.prints('the end');
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash(agent)).found('s1')).endsWith('xxxthe end')).toBe(true);
    expect(agent.codes).toEqual(['failing', 'working']);
    await agent.store.close();
  });

  it('[R10] costs all sessions together no more memory than their budget', async () => {
    const agent = await OpenStore.at(join(dir.path, 'state'));
    const sessions = Array.from({ length: 40 }, (_, index) => agent.session(`s${index}`));
    for (const session of sessions) session.prints('x'.repeat(900 * 1024));
    expect(agent.store.heldBytes).toBeLessThanOrEqual(MEMORY_MAX_BYTES);
    expect(agent.store.heldBytes).toBeGreaterThan(MEMORY_MAX_BYTES / 2);
    await agent.store.close();
    expect(agent.store.heldBytes).toBe(0);
  });
});

describe('a flood', () => {
  it('[R10] fills a journal only up to its limit; the next screen continues it', async () => {
    const agent = await OpenStore.at(join(dir.path, 'state'));
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    for (let chunk = 0; chunk < 200; chunk++) {
      session.prints('x'.repeat(64 * 1024));
      await agent.store.settled();
    }
    expect(agent.store.usedBytes).toBeLessThan(JOURNAL_MAX_BYTES + 10_000);
    expect(agent.warnings).toEqual([]);
    await agent.passes(FLUSH_MS);
    expect(session.isAsked).toBe(true);
    await session.draws();
    session.prints('the end');
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash(agent)).found('s1'))).toBe(session.printed);
    await agent.store.close();
  });

  it('[R8] of two hundred megabytes leaks no memory', async () => {
    const agent = await OpenStore.at(join(dir.path, 'state'));
    const stored = agent.session('s1').stored;
    const chunk = Buffer.alloc(4096, 'x');
    const before = await collectGarbage();
    for (let offset = 0; offset < 200 * 1024 * 1024; offset += chunk.length) {
      stored.append(offset, chunk);
      if (offset % (1024 * 1024) === 0) await agent.passes(FLUSH_MS);
    }
    await agent.passes(FLUSH_MS);
    await expect.poll(async () => (await collectGarbage()) - before).toBeLessThan(8 * 1024 * 1024);
    await agent.store.close();
  });
});

/** Bytes in use once everything unused is gone. */
async function collectGarbage(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Buffers are freed during a garbage collection and counted as free by the next one.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise(setImmediate);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
