/**
 * `npm run search -- [--minutes <n>] [part of a file name …]`: runs every property and model test with new seeds,
 * repeatedly, for this time. Prints each seed. Failures are shrunk and written to test/corpus/, which `npm test`
 * replays.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import build from '../support/global-setup.ts';
import { searchRounds } from './search-rounds.ts';
import { filesUnder, searchedFiles } from './searched-files.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SEED_MAX = 2 ** 31 - 1;
const MINUTE_MS = 60_000;

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
const files = searchedFiles(filesUnder(ROOT, 'test'), positionals);

if (!(minutes >= 0)) fail(`--minutes is "${values.minutes}", which is not a number of minutes.`);
if (files.length === 0) fail(`No property or model test has ${positionals.join(' or ')} in its name.`);

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/** Vitest, with the Node that runs us. The builds are made once, before the first round. */
async function round(seed: number): Promise<boolean> {
  const config = join(ROOT, 'test/search/vitest.config.ts');
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...files];
  const env = { ...process.env, HOLDFAST_SEED: `${seed}`, HOLDFAST_SEARCH: '1' };
  const [status] = await once(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env }), 'close');
  return status === 0;
}

await build();
const failing = await searchRounds({
  lastsMs: minutes * MINUTE_MS,
  now: () => performance.now(),
  freshSeed: () => randomInt(SEED_MAX),
  run: round,
  say: (line) => console.log(line),
});
process.exitCode = failing.length === 0 ? 0 : 1;
