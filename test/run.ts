/**
 * `npm test`: types and lint, then all tests, even if one fails. Arguments go to vitest (`npm test -- ring`). The last
 * line is the verdict. Without Chromium nothing is tested, because a partial run would look complete.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseBrowsers } from './support/chromium.ts';
import { COUNTS_FILE, type Counts, closingLine } from './support/count-reporter.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Runs a tool of ours with the Node that runs us. True when it succeeded. */
async function stage(
  name: string,
  tool: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  console.log(`▶ ${name}`);
  const startedAt = Date.now();
  const running = spawn(process.execPath, [join(ROOT, 'node_modules', tool), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [status] = await once(running, 'exit');
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(status === 0 ? `✔ ${name} (${seconds} s)` : `✘ ${name} failed (${seconds} s)`);
  return status === 0;
}

/** Vitest leaves its counts in a file, or none at all when it did not get as far as the first test. */
async function tests(filters: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const file = join(folder, 'counts.json');
  const ok = await stage('tests', 'vitest/vitest.mjs', ['run', ...filters], {
    [COUNTS_FILE]: file,
    // Every test file is a process that loads the same: vitest, and often a browser's driver.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
  });
  const none: Counts = { passed: 0, failed: 0 };
  const counts: Counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none;
  rmSync(folder, { recursive: true });
  return ok ? counts : { ...counts, failed: Math.max(1, counts.failed) };
}

try {
  await chooseBrowsers();
} catch (error) {
  console.error((error as Error).message);
  console.log(closingLine({ passed: 0, failed: 1 }));
  process.exit(1);
}

const [types, lint] = await Promise.all([
  stage('types', 'typescript/bin/tsc', ['-b']),
  stage('lint', '@biomejs/biome/bin/biome', ['check', '.']),
]);
const counts = await tests(process.argv.slice(2));

const verdict: Counts = { ...counts, failed: counts.failed + Number(!types) + Number(!lint) };
console.log(closingLine(verdict));
process.exitCode = verdict.failed === 0 && verdict.passed > 0 ? 0 : 1;
