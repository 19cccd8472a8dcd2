/** `.ci/run` returns the verdict of `npm test`, or fails if there is none. Uses a fake npm. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../.ci/run', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-ci-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it with an npm whose `ci` and `test` do this; both lines are of a shell. */
function run(ci: string, test: string): { exitCode: number | null; lastLine: string | undefined } {
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\ncase "$1" in ci) ${ci};; test) ${test};; esac\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status, stdout } = spawnSync('bash', [SCRIPT], { env, encoding: 'utf8' });
  return { exitCode: status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('the CI run', () => {
  it.each([
    ['passes', 'true', "echo '12 passed, 0 failed'", 0, '12 passed, 0 failed'],
    ['fails with the tests', 'true', "echo '11 passed, 1 failed'; exit 1", 1, '11 passed, 1 failed'],
    ['fails when nothing can be installed', 'exit 1', 'true', 1, '0 passed, 1 failed'],
    ['fails when the tests end without a verdict', 'true', 'echo killed; exit 0', 1, '0 passed, 1 failed'],
  ])('%s', (_, ci, test, exitCode, lastLine) => {
    expect(run(ci, test)).toEqual({ exitCode, lastLine });
  });
});
