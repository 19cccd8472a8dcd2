/** What is on disk of a session, when, and what is restored of it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUFFER_MAX_BYTES } from '../../../vm-agent/disk/journal-buffer.ts';
import { FLUSH_BYTES, JOURNAL_MAX_BYTES } from '../../../vm-agent/disk/output-journal.ts';
import { SNAPSHOT_AGE_MS } from '../../../vm-agent/disk/snapshot-schedule.ts';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { agent, dir, opensStores } from './opened-store.ts';
import { crashCopy, filesUnder, OpenStore, screenOf, someMetadata } from './some-session.ts';

opensStores();

/** What the next agent would find if this one died now. */
async function afterCrash(): Promise<OpenStore> {
  const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
  await next.store.close();
  return next;
}

describe('a saved session', () => {
  it('[R8] is on disk half a second after it printed', async () => {
    const session = agent.session('s1');
    session.prints('hello ');
    session.prints('world');
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash()).found('s1'))).toBe('hello world');
  });

  it('[R8] is on disk if it prints much before its metadata is written', async () => {
    const session = agent.session('s1');
    session.prints('x'.repeat(FLUSH_BYTES));
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash()).found('s1'))).toBe(session.printed);
  });

  it('[R8] is reported as not saved while its journal is full and its screen is unavailable', async () => {
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    session.stored.hasNoSnapshot('a screen is too large');
    expect(agent.codes, 'the journal goes on').toEqual([]);
    for (let printed = 0; printed <= JOURNAL_MAX_BYTES; printed += BUFFER_MAX_BYTES / 2) {
      session.prints('x'.repeat(BUFFER_MAX_BYTES / 2));
      await agent.store.settled();
    }
    session.stored.hasNoSnapshot('a screen is too large');
    expect(agent.codes).toEqual(['failing']);
    await session.drawsTail();
    expect(agent.codes).toEqual(['failing', 'working']);
  });

  it('[R8] is on disk at once if it prints much', async () => {
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    session.prints('x'.repeat(64 * 1024));
    await agent.store.settled();
    expect(screenOf((await afterCrash()).found('s1'))).toBe(session.printed);
  });

  it('[R9] is restored with its metadata, screen, sizes and offset', async () => {
    const begunAt = Date.now();
    const session = agent.session('s1', { name: 'build', key: 'tab-7', place: 3 });
    session.prints('old');
    await agent.passes(FLUSH_MS);
    await session.draws();
    session.prints('er');
    session.stored.resized(5, { cols: 40, rows: 10 });
    session.prints(' than');
    session.stored.updateMetadata({ cwd: '/tmp', title: 'vim' });
    await agent.passes(FLUSH_MS);

    const next = await afterCrash();
    const size = { cols: 40, rows: 10 };
    expect(next.found('s1')).toMatchObject({
      metadata: someMetadata({ name: 'build', key: 'tab-7', place: 3, cwd: '/tmp', title: 'vim', size }),
      snapshot: { offset: 3, size: { cols: 80, rows: 24 } },
      replay: [
        { type: 'output', offset: 3 },
        { type: 'resize', offset: 5, size },
        { type: 'output', offset: 5 },
      ],
      end: 10,
      lostBytes: 0,
    });
    expect(screenOf(next.found('s1'))).toBe('older than');
    expect(next.found('s1').savedAt.getTime()).toBeGreaterThan(begunAt - 1_000);
    expect(next.found('s1').savedAt.getTime()).toBeLessThanOrEqual(Date.now());
    expect(next.warnings).toEqual([]);
  });

  it('[R9] is restored in its place among the others', async () => {
    agent.session('c', { place: 2 });
    agent.session('a', { place: 0, createdAt: '2026-01-02T00:00:00.000Z' });
    agent.session('b', { place: 0, createdAt: '2026-01-01T00:00:00.000Z' });
    await agent.passes(FLUSH_MS);
    expect((await afterCrash()).recovered.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });

  it('[R9] continues where it ended, after several crashes', async () => {
    const first = agent.session('s1');
    first.prints('first life\n');
    await agent.passes(FLUSH_MS);

    let next = await OpenStore.at(crashCopy(agent.dir, dir.path));
    for (const life of ['second', 'third', 'fourth']) {
      const session = next.revive('s1');
      session.prints(`${life} life\n`);
      await next.passes(FLUSH_MS);
      if (life === 'third') await session.draws();
      const copy = crashCopy(next.dir, dir.path);
      await next.store.close();
      next = await OpenStore.at(copy);
    }
    expect(screenOf(next.found('s1'))).toBe('first life\nsecond life\nthird life\nfourth life\n');
    expect(next.warnings).toEqual([]);
    await next.store.close();
  });

  it('[R9] may also restart its offsets: its old screen stays until there is a new one', async () => {
    agent.session('s1').prints('a long first life');
    await agent.passes(FLUSH_MS);
    const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
    const session = next.session('s1');
    await next.store.settled();
    expect(session.isAsked).toBe(true);
    session.prints('short');
    await next.passes(FLUSH_MS);
    const between = await OpenStore.at(crashCopy(next.dir, dir.path));
    expect(screenOf(between.found('s1'))).toBe('a long first life');
    await between.store.close();

    await session.draws(3);
    await next.passes(FLUSH_MS);
    const last = await OpenStore.at(crashCopy(next.dir, dir.path));
    expect(last.found('s1')).toMatchObject({ snapshot: { offset: 3 }, end: 5, lostBytes: 0 });
    expect(screenOf(last.found('s1'))).toBe('short');
    await Promise.all([next.store.close(), last.store.close()]);
  });

  it('[R8] requests its screen after half a minute of little output, and then not again', async () => {
    const session = agent.session('s1');
    session.prints('$ ');
    await agent.passes(SNAPSHOT_AGE_MS - FLUSH_MS);
    expect(session.isAsked).toBe(false);
    await agent.passes(FLUSH_MS);
    expect(session.isAsked).toBe(true);
    await session.draws();
    await agent.passes(2 * SNAPSHOT_AGE_MS);
    expect(session.isAsked).toBe(false);
    expect(agent.clock.pending).toBe(0);
  });

  it('[R8] requests its screen when the journal is full, and then truncates the journal', async () => {
    const session = agent.session('s1');
    await agent.passes(FLUSH_MS);
    for (let chunk = 0; chunk < 5; chunk++) {
      session.prints('x'.repeat(64 * 1024));
      await agent.store.settled();
    }
    expect(session.isAsked).toBe(true);
    const offset = session.printed.length;
    session.prints('after the screen was drawn');
    await session.draws(offset);
    await agent.passes(FLUSH_MS);
    const journals = filesUnder(agent.dir).filter(({ path }) => path.includes('journal-'));
    expect(journals.map(({ bytes }) => bytes)).toEqual([4 + 17 + 26]);
    expect(screenOf((await afterCrash()).found('s1'))).toBe(session.printed);
  });

  it('[R8] keeps the journal before a screen that is older than it', async () => {
    const session = agent.session('s1');
    session.prints('one two ');
    await agent.passes(FLUSH_MS);
    session.prints('three ');
    await session.draws(4);
    await agent.passes(FLUSH_MS);
    session.prints('four');
    await agent.passes(FLUSH_MS);
    const found = (await afterCrash()).found('s1');
    expect(found).toMatchObject({ snapshot: { offset: 4 }, lostBytes: 0 });
    expect(screenOf(found)).toBe('one two three four');
  });

  it('[R8] keeps a resize that the screen of the same offset does not include', async () => {
    const session = agent.session('s1');
    session.prints('wide');
    session.stored.resized(4, { cols: 40, rows: 10 });
    await agent.passes(FLUSH_MS);
    await session.draws(4);
    session.prints('slim');
    await agent.passes(FLUSH_MS);
    expect((await afterCrash()).found('s1').replay).toMatchObject([{ type: 'resize' }, { type: 'output' }]);
  });

  it('[R8] is deleted from disk when it is removed, and its name is free', async () => {
    const session = agent.session('s1');
    session.prints('secret');
    await agent.passes(FLUSH_MS);
    await Promise.all([session.draws(), session.stored.remove()]);
    session.prints('ignored');
    expect(filesUnder(join(agent.dir, 'sessions'))).toEqual([]);
    expect(agent.store.usedBytes).toBe(0);
    expect(agent.warnings).toEqual([]);
    agent.session('s1').prints('anew');
    await agent.passes(FLUSH_MS);
    expect(screenOf((await afterCrash()).found('s1'))).toBe('anew');
  });

  it('[R9] is deleted if nobody continues it', async () => {
    agent.session('s1');
    await agent.passes(FLUSH_MS);
    const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
    await next.store.discard('s1');
    expect(filesUnder(join(next.dir, 'sessions'))).toEqual([]);
    await next.store.close();
  });

  it('[R8] writes its buffered data when the agent stops', async () => {
    const session = agent.session('s1');
    session.prints('last words');
    session.stored.updateMetadata({ name: 'renamed' });
    await agent.store.close();
    session.prints('ignored');
    const next = await OpenStore.at(agent.dir);
    expect(screenOf(next.found('s1'))).toBe('last words');
    expect(next.found('s1').metadata.name).toBe('renamed');
    await next.store.close();
  });

  it('[R8] writes the latest of many changes of its metadata', async () => {
    const session = agent.session('s1');
    for (let change = 0; change <= 100; change++) session.stored.updateMetadata({ title: `title ${change}` });
    await agent.passes(2 * FLUSH_MS);
    expect((await afterCrash()).found('s1').metadata.title).toBe('title 100');
  });
});
