/**
 * `node test/repeat.ts [--rounds <n>] [--busy <n>] [test file …]`: runs the same tests repeatedly, with parallel
 * processes that keep the processor busy. Prints the counts and the time of each round. Without file names it runs the
 * tests that depend most on timing. Exits with 1 if any round had a failure; nothing is retried.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { COUNTS_FILE, type Counts, closingLine } from './support/count-reporter.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Outages, restarts, floods, timeouts and races: what a busy machine disturbs first. */
const TIMING_DEPENDENT = [
  'test/e2e/agent-leg-cut.test.ts',
  'test/e2e/agent-sessions.test.ts',
  'test/e2e/agent.test.ts',
  'test/e2e/api-stream.test.ts',
  'test/e2e/attach.test.ts',
  'test/e2e/cuts.test.ts',
  'test/e2e/failures.test.ts',
  'test/e2e/flood-viewers.test.ts',
  'test/e2e/flow.test.ts',
  'test/e2e/npm-start.test.ts',
  'test/e2e/overflow.test.ts',
  'test/e2e/page-exit.test.ts',
  'test/e2e/page-liveness.test.ts',
  'test/e2e/page-login.test.ts',
  'test/e2e/page-outage.test.ts',
  'test/e2e/page-restart.test.ts',
  'test/e2e/page-stories.test.ts',
  'test/e2e/page-typing.test.ts',
  'test/e2e/replay-safety.test.ts',
  'test/load/load.test.ts',
  'test/worker/workspace/relay-bounds-api.test.ts',
  'test/worker/workspace/relay-bounds.test.ts',
];

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '30' }, busy: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const rounds = wholeNumber('rounds', values.rounds);
const busy = wholeNumber('busy', values.busy);
const files = positionals.length === 0 ? TIMING_DEPENDENT : positionals;

function wholeNumber(name: string, value: string): number {
  if (/^\d{1,4}$/.test(value)) return Number(value);
  console.error(`--${name} is "${value}", which is not a whole number.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-repeat-'));
const load = Array.from({ length: busy }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const total = { passed: 0, failed: 0 };
try {
  for (let round = 1; round <= rounds; round++) {
    const startedAt = Date.now();
    const { passed, failed } = await run(round);
    total.passed += passed;
    total.failed += failed;
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    console.log(`round ${round} of ${rounds}: ${closingLine({ passed, failed })} (${seconds} s)`);
  }
} finally {
  for (const process of load) process.kill();
}
console.log(closingLine(total));
if (total.failed === 0) rmSync(folder, { recursive: true });
process.exitCode = total.failed === 0 ? 0 : 1;

/** One run of vitest. What it printed is kept when something failed. */
async function run(round: number): Promise<Counts> {
  const counts = join(folder, 'counts.json');
  rmSync(counts, { force: true });
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [COUNTS_FILE]: counts },
  });
  const printed: Buffer[] = [];
  vitest.stdout.on('data', (bytes: Buffer) => printed.push(bytes));
  vitest.stderr.on('data', (bytes: Buffer) => printed.push(bytes));
  const [status] = await once(vitest, 'close');
  const counted: Counts = read(counts);
  if (status === 0) return counted;
  const log = join(folder, `round-${round}.log`);
  writeFileSync(log, Buffer.concat(printed));
  console.log(`round ${round} failed; what it printed is in ${log}`);
  return { ...counted, failed: Math.max(1, counted.failed) };
}

function read(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0 }; // it did not get as far as the first test
  }
}
