/** The state directory as a whole: who may read it, what is left in it, and its size. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { agent, dir, opensStores } from './opened-store.ts';
import { bytesUnder, crashCopy, filesUnder, OpenStore } from './some-session.ts';

opensStores();

describe('the state directory', () => {
  it('[R8] is readable by its owner only, and so is everything in it', async () => {
    const session = agent.session('s1');
    session.prints('secret');
    await agent.passes(FLUSH_MS);
    await session.draws();
    session.prints('more');
    await agent.passes(FLUSH_MS);
    writeFileSync(join(agent.dir, 'sessions/s1/snapshot'), 'corrupt', { mode: 0o600 });
    await agent.store.close();
    const next = await OpenStore.at(agent.dir);
    const files = [...filesUnder(dir.path), ...filesUnder(agent.dir)];
    expect(files.map(({ path }) => path).sort()).toEqual(
      expect.arrayContaining([
        'corrupt/s1.snapshot.corrupt-1',
        'sessions/s1/journal-1',
        'sessions/s1/metadata.json',
      ]),
    );
    for (const { path, mode, isDirectory } of files) {
      expect(mode.toString(8), path).toBe(isDirectory ? '700' : '600');
    }
    await next.store.close();
  });

  it('[R9] has no trace of a deletion or a write during which an agent died', async () => {
    agent.session('s1');
    agent.session('s2').prints('kept');
    await agent.passes(FLUSH_MS);
    const copy = crashCopy(agent.dir, dir.path);
    renameSync(join(copy, 'sessions/s1'), join(copy, 'sessions/s1.removed'));
    writeFileSync(join(copy, 'sessions/s2/snapshot.tmp'), 'half');
    const next = await OpenStore.at(copy);
    expect(next.recovered.map(({ id }) => id)).toEqual(['s2']);
    expect(existsSync(join(copy, 'sessions/s1.removed'))).toBe(false);
    expect(existsSync(join(copy, 'sessions/s2/snapshot.tmp'))).toBe(false);
    expect(next.warnings).toEqual([]);
    await next.store.close();
  });

  it('[R8] counts its bytes exactly', async () => {
    const session = agent.session('s1');
    for (const step of [1, 2, 3]) {
      session.prints('x'.repeat(1000 * step));
      await agent.passes(FLUSH_MS);
      if (step > 1) await session.draws();
      session.stored.updateMetadata({ title: 't'.repeat(step * 10) });
      await agent.passes(FLUSH_MS);
      expect(agent.store.usedBytes).toBe(bytesUnder(agent.dir));
    }
    const used = agent.store.usedBytes;
    await agent.store.close();
    const next = await OpenStore.at(agent.dir);
    expect(next.store.usedBytes).toBe(used);
    await next.store.close();
  });

  it('[R8] stores metadata that a person can read', async () => {
    agent.session('s1', { name: 'build' });
    await agent.passes(FLUSH_MS);
    const [json = ''] = readFileSync(join(agent.dir, 'sessions/s1/metadata.json'), 'utf8').split('\n');
    expect(JSON.parse(json)).toMatchObject({ version: 1, command: '/bin/bash', name: 'build' });
  });
});
