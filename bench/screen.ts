/**
 * What the screens cost: `node bench/screen.ts`. Prints a table; figures move from machine to
 * machine, so compare those of one run.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Emulator, encodeText } from '../vm-agent/screen/emulator.ts';
import { SCROLLBACK_LINES } from '../vm-agent/screen/limits.ts';
import { ScreenPool } from '../vm-agent/screen/pool.ts';
import type { Screen } from '../vm-agent/screen/screen.ts';
import { systemClock } from '../vm-agent/system-clock.ts';
import { quantile } from './measuring/statistics.ts';
import { OUTPUTS, output } from './outputs.ts';

const SILENT = { answer() {}, title() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };
const MB = 1e6;

const say = (what: string, figure: string) => console.log(`${what.padEnd(64)} ${figure}`);
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

function emulator(cols = 120, rows = 40): Emulator {
  return new Emulator({ size: { cols, rows }, scrollbackLines: SCROLLBACK_LINES, events: SILENT });
}

function parsing(): void {
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const bytes = output(make, 8 * MB);
    const target = emulator();
    const startedAt = performance.now();
    for (let at = 0; at < bytes.length; at += 4096) target.write(bytes.subarray(at, at + 4096));
    say(
      `parse, ${name}`,
      `${(bytes.length / MB / ((performance.now() - startedAt) / 1000)).toFixed(1)} MB/s`,
    );
  }
}

function serialising(): void {
  const target = emulator();
  target.write(output(OUTPUTS['coloured log'], 2 * MB));
  for (const format of ['ansi', 'text', 'html'] as const) {
    for (const scope of ['screen', 'all'] as const) {
      const times: number[] = [];
      let size = 0;
      for (let run = 0; run < 15; run++) {
        const startedAt = performance.now();
        size = encodeText([...target.snapshot(format, scope)]).length;
        times.push(performance.now() - startedAt);
      }
      const slowest = `max ${quantile(times, 1).toFixed(1)}`;
      say(
        `serialise 120 × 5000, ${format}, ${scope}`,
        `p50 ${quantile(times, 0.5).toFixed(2)} ms, ${slowest}; ${(size / 1024).toFixed(0)} KiB`,
      );
    }
  }
}

/** A session that is kept full of `make`, from the start of the returned function until it is called. */
function flood(screen: Screen, make: (n: number) => string): () => void {
  const chunk = output(make, 64 * 1024);
  let offset = 0;
  let isOver = false;
  const pour = () => {
    for (let n = 0; n < 16 && !screen.isFull; n++) {
      screen.write(offset, chunk);
      offset += chunk.length;
    }
    if (!isOver) setImmediate(pour);
  };
  pour();
  return () => {
    isOver = true;
  };
}

async function fairness(
  threads: number,
  floods: number,
  make: (n: number) => string,
  name: string,
): Promise<void> {
  const pool = new ScreenPool({ clock: systemClock, threads });
  const open = () =>
    pool.open({ cols: 120, rows: 40 }, { scrollbackLines: SCROLLBACK_LINES, events: SILENT });
  const quiet = open();
  const history = output(OUTPUTS['coloured log'], 0.6 * MB);
  quiet.write(0, history);
  await quiet.snapshot({ format: 'ansi', scope: 'all', atLeast: history.length });
  const stops = Array.from({ length: floods }, () => flood(open(), make));
  await pause(300);
  for (const scope of ['screen', 'all'] as const) {
    const times: number[] = [];
    for (let run = 0; run < 60; run++) {
      const startedAt = performance.now();
      await quiet.snapshot({ format: 'ansi', scope });
      times.push(performance.now() - startedAt);
      await pause(10);
    }
    const figures = [0.5, 0.95, 1].map((q) => quantile(times, q).toFixed(1));
    say(
      `snapshot (${scope}) beside ${floods} floods of ${name}, ${threads} thread(s)`,
      `p50 ${figures[0]}, p95 ${figures[1]}, max ${figures[2]} ms`,
    );
  }
  for (const stop of stops) stop();
  await pool.close();
}

/** A clock that can be told that time has passed. */
function leapingClock() {
  const due: { at: number; run: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    after(ms: number, run: () => void) {
      const task = { at: now + ms, run };
      due.push(task);
      return () => void due.splice(due.indexOf(task) >>> 0, 1);
    },
    leap(ms: number) {
      now += ms;
      for (const task of due.splice(0)) task.at <= now ? task.run() : due.push(task);
    },
  };
}

/** Resident memory in a process of its own, since memory given back is not always seen to be. */
async function memory(count: number, bytes: number): Promise<void> {
  const clock = leapingClock();
  const pool = new ScreenPool({ clock });
  const open = () =>
    pool.open({ cols: 120, rows: 40 }, { scrollbackLines: SCROLLBACK_LINES, events: SILENT });
  // One that is opened, used and closed before loads the code and warms the heap.
  const warm = open();
  warm.write(0, output(OUTPUTS['coloured log'], 0.1 * MB));
  await warm.snapshot({ format: 'text', scope: 'all' });
  warm.close();
  const printed = output(OUTPUTS['coloured log'], bytes);
  const before = await settled();
  const screens = Array.from({ length: count }, open);
  for (const screen of screens) {
    for (let at = 0; at < printed.length; at += 1 << 20) {
      screen.write(at, printed.subarray(at, at + (1 << 20)));
      await screen.snapshot({ format: 'text', scope: 'screen' });
    }
  }
  const awake = await settled();
  clock.leap(61_000);
  while (screens.some((screen) => screen.state !== 'asleep')) {
    await pause(20);
    clock.leap(1100);
  }
  const asleep = await settled();
  const kept = screens.reduce((sum, screen) => sum + screen.sleepingBytes, 0) / count;
  const each = (after: number) => `${((after - before) / count / 1024).toFixed(0)} KiB`;
  const what = bytes < 1000 ? 'a prompt' : `${bytes / MB} MB`;
  const state = `(state ${(kept / 1024).toFixed(1)} KiB)`;
  say(
    `memory of ${count} screens after ${what}`,
    `awake ${each(awake)}, asleep ${each(asleep)} each ${state}`,
  );
  await pool.close();
}

/** After the thread has had time to clean up after itself. */
async function settled(): Promise<number> {
  for (let n = 0; n < 10; n++) {
    (globalThis.gc as ((options: object) => void) | undefined)?.({ type: 'major', flavor: 'last-resort' });
    await pause(250);
  }
  return process.memoryUsage.rss();
}

const MEMORY_CASES = [
  [1, 200],
  [50, 200],
  [500, 200],
  [1, 10 * MB],
  [20, 10 * MB],
] as const;

// Threads of screens keep no process alive.
const alive = setInterval(() => {}, 1000);
const [count, bytes] = process.argv.slice(2).map(Number);
if (count !== undefined && bytes !== undefined) await memory(count, bytes);
else {
  parsing();
  serialising();
  for (const threads of [1, 2]) {
    await fairness(threads, 1, OUTPUTS['coloured log'], 'coloured log');
    await fairness(threads, 8, OUTPUTS['coloured log'], 'coloured log');
    await fairness(threads, 1, () => '\x1b[99999L\x1b[99999S\x1b[2J', 'hostile counts');
  }
  for (const numbers of MEMORY_CASES) {
    const args = ['--expose-gc', fileURLToPath(import.meta.url), ...numbers.map(String)];
    spawnSync(process.execPath, args, { stdio: 'inherit' });
  }
}
clearInterval(alive);
