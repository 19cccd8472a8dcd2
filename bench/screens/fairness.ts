/** How long a snapshot of one screen takes while others are flooded, in the threads alone. */
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../node/system-clock.ts';
import { SCROLLBACK_LINES } from '../../vm-agent/screen/limits.ts';
import { ScreenPool } from '../../vm-agent/screen/pool.ts';
import type { ScreenMirror } from '../../vm-agent/screen/screen.ts';
import { quantile } from '../measuring/statistics.ts';
import { OUTPUTS, output } from '../outputs.ts';
import { MB, SILENT, say } from './say.ts';

/** A session that is kept full of `make`, until the returned function is called. */
function flood(screen: ScreenMirror, make: (n: number) => string): () => void {
  const chunk = output(make, 64 * 1024);
  let offset = 0;
  let isOver = false;
  const pour = () => {
    for (let n = 0; n < 16 && !screen.feed.isFull; n++) {
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

export async function fairness(
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
