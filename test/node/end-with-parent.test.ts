/** Children that end with their parent, however the parent ends. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { processes } from '../support/process-table.ts';

const MODULE = fileURLToPath(new URL('../../node/end-with-parent.ts', import.meta.url));

/** Three children that would stay: one is released before its parent is killed. Prints their pids. */
const PARENT = `
import { spawn } from 'node:child_process';
import { endWithParent } from ${JSON.stringify(MODULE)};
const children = [1, 2, 3].map(() => spawn('sleep', ['1000'], { stdio: 'ignore', detached: true }));
const releases = children.map(endWithParent);
releases[2]();
console.log(children.map(({ pid }) => pid).join(' '));
setInterval(() => {}, 1000);
`;

it('[Y5] a killed parent ends its guarded children, but not a released one', async () => {
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const line of createInterface(parent.stdout)) {
    printed = line;
    break;
  }
  const [one = 0, two = 0, released = 0] = printed.split(' ').map(Number);
  parent.kill('SIGKILL');
  const alive = () => processes().filter(({ pid }) => [one, two, released].includes(pid));
  await expect.poll(() => alive().map(({ pid }) => pid)).toEqual([released]);
  process.kill(released, 'SIGKILL');
});
