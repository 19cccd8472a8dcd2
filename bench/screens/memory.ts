/** Memory of screens, awake and asleep. */
import { setTimeout as pause } from 'node:timers/promises';
import { SCROLLBACK_LINES } from '../../vm-agent/screen/limits.ts';
import { ScreenPool } from '../../vm-agent/screen/pool.ts';
import { OUTPUTS, output } from '../outputs.ts';
import { MB, SILENT, say } from './say.ts';

/** A clock that can be advanced. */
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

/** Resident memory in a separate process, because freed memory is not always visible. */
export async function memory(count: number, bytes: number): Promise<void> {
  const clock = leapingClock();
  const pool = new ScreenPool({ clock });
  const open = () =>
    pool.open({ cols: 120, rows: 40 }, { scrollbackLines: SCROLLBACK_LINES, events: SILENT });
  // Opening, using and closing one before loads the code and warms the heap.
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
  const kept = screens.reduce((sum, screen) => sum + screen.stored.bytes, 0) / count;
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
