/**
 * Terminals without information about processes: macOS has no /proc, a chroot has an empty one, as here in a separate
 * namespace. Questions about processes are not answered then; programs still start, are read, and end.
 */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const COVERED = 'mount -t tmpfs none /proc && exec "$0" "$@"';

const source = (path: string) => fileURLToPath(new URL(`../../../vm-agent/${path}`, import.meta.url));

const PROGRAM = `
import { checkTerminals, openFilesLimit } from '${source('doctor/check-machine.ts')}';
import { spawnPty } from '${source('pty/spawn-pty.ts')}';
const run = (script) => {
  let printed = '';
  const ended = Promise.withResolvers();
  const ready = Promise.withResolvers();
  const pty = spawnPty(
    { command: '/bin/sh', args: ['-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, size: { cols: 80, rows: 24 } },
    {
      output: (bytes) => {
        printed += Buffer.from(bytes).toString();
        if (printed.includes('ready')) ready.resolve();
      },
      exited: (exit) => ended.resolve(exit),
    },
  );
  return { pty, ended: ended.promise, ready: ready.promise, printed: () => printed };
};
const short = run('echo hello; exit 3');
const shortEnd = await short.ended;
const long = run('sleep 1000 & echo ready; wait');
await long.ready;
const told = [long.pty.cwd(), long.pty.foreground()];
const isFound = long.pty.signal('SIGTERM');
const longEnd = await long.ended;
console.log(JSON.stringify({
  printed: short.printed(), shortEnd, told, isFound, longEnd, again: long.pty.signal('SIGKILL'),
  files: openFilesLimit(), terminals: checkTerminals({ maxSessions: 64 }).sentence,
}));
`;

/** Why /proc cannot be hidden here; null if it can. */
function whyNot(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', COVERED, 'true']);
  return status === 0 ? null : 'needs root and unshare';
}
const obstacle = whyNot();

it.skipIf(obstacle !== null)(
  `[P3] [R7] programs start, are read and end without /proc${obstacle === null ? '' : ` (skipped: ${obstacle})`}`,
  async () => {
    const node = [process.execPath, '--input-type=module', '-e', PROGRAM];
    const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', COVERED, ...node]);
    expect(JSON.parse(stdout)).toEqual({
      printed: 'hello\r\n',
      shortEnd: { code: 3, signal: null },
      told: [null, null],
      isFound: true,
      longEnd: { code: null, signal: 'SIGTERM' },
      again: false,
      files: null,
      terminals: 'this system reports no limit',
    });
  },
);
