/**
 * Fills the history of one screen with cells that each have an underline of their own, takes snapshots of it, and
 * prints by how many MiB the process grew. A process of its own, because others share the memory of a test's.
 */
import { systemClock } from '../../../node/system-clock.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';

const COLS = 200;
const LINES = 5_000;
const MEBIBYTE = 1024 * 1024;

const events = {
  answer() {},
  report() {},
  title() {},
  progress() {},
  cwd() {},
  bell() {},
  full() {},
  rebuilt() {},
};
const encoder = new TextEncoder();
const pool = new ScreenPool({ clock: systemClock });
const before = process.memoryUsage.rss();
const screen = pool.open({ cols: COLS, rows: 50 }, { scrollbackLines: LINES, events });

let offset = 0;
for (let line = 0; line < LINES; line++) {
  const cells = Array.from({ length: COLS }, (_, at) => {
    const number = line * COLS + at;
    return `\x1b[4:${1 + (number % 5)};58;2;${number % 256};${(number >> 8) % 256};3mx`;
  });
  const bytes = encoder.encode(cells.join(''));
  screen.write(offset, bytes);
  offset += bytes.length;
  if (line % 256 === 0) await screen.snapshot({ format: 'text', scope: 'screen' });
}
await screen.snapshot({ format: 'ansi', scope: 'all' });
await screen.snapshot({ format: 'html', scope: 'all' });
console.log(Math.round((process.memoryUsage.rss() - before) / MEBIBYTE));
await pool.close();
