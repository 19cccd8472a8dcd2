/**
 * `npx node test/mutation/run.ts`: makes a few thousand small changes to the pure modules and checks whether a test
 * detects each. Arguments go to Stryker (`-- --mutate vm-agent/terminal/ring-buffer.ts`). Packages that only this needs
 * are installed here, on first use.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STRYKER = `${HERE}node_modules/@stryker-mutator/core/bin/stryker.js`;

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(STRYKER)) run(HERE, 'npm', ['ci', '--no-audit', '--no-fund']);
run(ROOT, process.execPath, [STRYKER, 'run', `${HERE}stryker.config.json`, ...process.argv.slice(2)]);
