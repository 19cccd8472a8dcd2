/**
 * What the screens cost: `node bench/screen.ts`. Prints a table; figures move from machine to
 * machine, so compare those of one run.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OUTPUTS } from './outputs.ts';
import { fairness } from './screens/fairness.ts';
import { memory } from './screens/memory.ts';
import { MB } from './screens/say.ts';
import { parsing, serialising } from './screens/speed.ts';

const MEMORY_CASES = [
  [1, 200],
  [50, 200],
  [500, 200],
  [1, 10 * MB],
  [20, 10 * MB],
] as const;

// Screen threads keep no process alive.
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
