import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { LINE_BYTES, LINES_PER_STEP, linesOf, type PrintedLine, STEP_MS } from './printed-lines.ts';
import { crashCopy, OpenStore, screenOf, temporaryDirectory } from './some-session.ts';

let dir: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  dir = temporaryDirectory();
});
afterEach(() => dir.remove());

/** In its first moment an agent has saved nothing yet, which proves nothing: it lives longer than that. */
const LIVES_FOR_LINES = (1500 / STEP_MS) * LINES_PER_STEP;

/** Lets a process print until it has said `lines` more lines than that, and kills it. Returns the last of them. */
async function printsUntilKilled(state: string, lines: number): Promise<PrintedLine> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'line-printer.ts'), state]);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length >= (LIVES_FOR_LINES + lines) * LINE_BYTES) child.kill('SIGKILL');
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  await once(child, 'close');
  expect(complaints).toBe('');
  const last = linesOf(said).at(-1);
  if (last === undefined) throw new Error('the process printed nothing');
  return last;
}

describe('an agent that is killed', () => {
  it('[R8] [R9] loses at most a second, and nothing before it, over several lives', async () => {
    const state = join(dir.path, 'state');
    let reached = 0;
    for (const lines of [0, 1_000, 2_000, 5_000]) {
      const last = await printsUntilKilled(state, lines);
      const next = await OpenStore.at(state);
      await next.store.close();
      const found = next.found('s1');
      const shown = linesOf(screenOf(found));
      expect(found).toMatchObject({ end: ((shown.at(-1)?.number ?? 0) + 1) * LINE_BYTES, lostBytes: 0 });
      const first = shown[0]?.number ?? 0;
      expect(shown.map(({ number }) => number)).toEqual(shown.map((_, index) => first + index));
      expect(last.at - (shown.at(-1)?.at ?? 0)).toBeLessThanOrEqual(1000);
      expect(found.end / LINE_BYTES).toBeGreaterThan(reached);
      expect(next.warnings).toEqual([]);
      if (reached > 0) expect(found.snapshot).not.toBeNull();
      reached = found.end / LINE_BYTES;
    }
  });

  it('[R9] at any moment leaves a directory from which a prefix of the output is restored', async () => {
    const agent = await OpenStore.at(join(dir.path, 'state'));
    const session = agent.session('s1');
    let saved = 0;
    for (let step = 0; step < 60; step++) {
      session.prints(`line ${step} ${'x'.repeat((step * 997) % 9000)}\n`);
      agent.clock.advance(FLUSH_MS);
      if (step % 7 === 3) void session.draws(session.printed.length - (step % 3));
      // Not settled: the copy falls between any two steps of a write.
      for (let turn = step % 5; turn > 0; turn--) await new Promise(setImmediate);
      const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
      await next.store.close();
      const found = next.recovered[0];
      if (found === undefined) continue;
      expect(session.printed.startsWith(screenOf(found)), `step ${step}`).toBe(true);
      expect(found.end).toBe(screenOf(found).length);
      expect(found.end).toBeGreaterThanOrEqual(saved);
      saved = found.end;
    }
    expect(saved).toBeGreaterThan(0);
    await agent.store.close();
  });
});
