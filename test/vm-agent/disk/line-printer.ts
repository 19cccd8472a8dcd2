/**
 * A process whose one session prints numbered, dated lines into the given state directory, forever, as a shell in a
 * loop would. Prints each line to stdout too.
 *
 * A screen shows the last hundred lines. All lines have the same length, so that an offset determines a number.
 */

import { systemClock } from '../../../node/system-clock.ts';
import { StateStore } from '../../../vm-agent/disk/state-store.ts';
import { LINE_BYTES, LINES_PER_STEP, lineOf, SCREEN_LINES, STEP_MS } from './printed-lines.ts';
import { asData, someMetadata } from './some-session.ts';

const { store, recovered } = await StateStore.open(process.argv[2] ?? '', {
  quotaBytes: 2 ** 30,
  clock: systemClock,
  warn: ({ message }) => process.stderr.write(`${message}\n`),
});

let number = (recovered[0]?.end ?? 0) / LINE_BYTES;
const screen: string[] = [];
const session = store.session('s1', someMetadata(), {
  from: number * LINE_BYTES,
  snapshotNeeded: () => {
    const offset = number * LINE_BYTES;
    const data = asData(screen.join(''));
    void session.writeSnapshot({ offset, size: { cols: 80, rows: 24 }, data });
  },
});

let now = 0;
setInterval(() => {
  now += STEP_MS;
  const lines = Array.from({ length: LINES_PER_STEP }, () => lineOf(number++, now));
  session.append((number - lines.length) * LINE_BYTES, Buffer.from(lines.join('')));
  screen.push(...lines);
  screen.splice(0, screen.length - SCREEN_LINES);
  process.stdout.write(lines.join(''));
}, STEP_MS);
