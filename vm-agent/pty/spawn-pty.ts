/**
 * Starts programs in real terminals. This is the only file that uses node-pty.
 *
 * It uses only the native part of node-pty. Its JavaScript destroys the terminal 200 ms after the program ended, even
 * if output is unread, and so loses the end of the output. It also retries writes to a full terminal in a busy loop.
 *
 * The agent keeps the other side of each terminal (the slave) open. Otherwise the kernel would hang up the terminal for
 * good whenever the last program closes it, possibly while output is unread.
 */
import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Refusal } from '../../protocol/errors.ts';
import { CELL_PX } from '../../protocol/terminal/images/cell-px.ts';
import { exitOf } from './exit-status.ts';
import { checkDirectory, findCommand } from './launch-checks.ts';
import { kill, processStat } from './process-session.ts';
import type { SpawnOwned } from './pty.ts';
import { RunningProgram } from './running-program.ts';

interface Forked {
  readonly fd: number;
  readonly pid: number;
  /** Path of the slave side. */
  readonly pty: string;
}

interface Native {
  fork(
    ...args: [
      file: string,
      args: readonly string[],
      env: readonly string[],
      cwd: string,
      cols: number,
      rows: number,
      uid: number,
      gid: number,
      utf8: boolean,
      helper: string,
      ended: (code: number, signal: number) => void,
    ]
  ): Forked;
  resize(fd: number, cols: number, rows: number, widthPixels: number, heightPixels: number): void;
}

const require = createRequire(import.meta.url);
const loaderPath = require.resolve('node-pty/lib/utils.js');
const loader: { loadNativeModule(name: string): { dir: string; module: Native } } = require(loaderPath);
const { dir, module: native } = loader.loadNativeModule('pty');
/** Only macOS starts programs through it. */
const helperPath = resolve(dirname(loaderPath), dir, 'spawn-helper');

export const spawnPty: SpawnOwned = (spec, events) => {
  checkDirectory(spec.cwd);
  const file = findCommand(spec);
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const { cols, rows } = spec.size;
  let pty: RunningProgram | undefined;
  // Called by the event loop, so `pty` is set by then unless a later step failed.
  const ended = (code: number, signal: number): void => pty?.handleEnd(exitOf(code, signal));
  let forked: Forked | undefined;
  let slave: number | undefined;
  try {
    forked = forkWithoutGaps(() =>
      // No change of user (-1), and a terminal that erases UTF-8 characters whole.
      native.fork(file, spec.args, env, spec.cwd, cols, rows, -1, -1, true, helperPath, ended),
    );
    // Read this now, while the fork has released a descriptor: the next line may take the last one. Without a start
    // time, the program cannot be told from a later process with the same pid, and would never be signalled.
    const bornAt = processStat(forked.pid)?.bornAt;
    // Node opens with close-on-exec, so no program inherits it. O_NOCTTY: an agent that leads a session without a
    // terminal (a service) would otherwise get this one as its controlling terminal.
    slave = openSync(forked.pty, constants.O_RDWR | constants.O_NOCTTY);
    const { fd, pid, pty: path } = forked;
    pty = new RunningProgram({ fd, slave, path, pid, bornAt, resizeTo: resizerOf(fd) }, events);
    return pty;
  } catch (error) {
    if (slave !== undefined) closeSync(slave);
    if (forked !== undefined) {
      closeSync(forked.fd);
      kill(forked.pid, 'SIGKILL');
    }
    throw new Refusal(
      'no_pty',
      `The program was not started: this machine cannot open another terminal (${(error as Error).message}). ` +
        'Close some sessions, or raise the limits on terminals (kernel.pty.max) and on open files.',
    );
  }
};

/**
 * Calls `fork` while every descriptor number below the highest is in use. Between fork and exec, node-pty's Linux build
 * marks descriptors close-on-exec one by one and stops at the first number that is not open. The child has closed its
 * own master by then. If that master had a lower number than others, or if a closed session had left a gap, the program
 * would inherit the terminals of other sessions. Without gaps, the new master has the highest number.
 */
function forkWithoutGaps<T>(fork: () => T): T {
  if (process.platform !== 'linux') return fork();
  const fillers: number[] = [];
  try {
    const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
    while ((fillers.at(-1) ?? 0) < highest) fillers.push(openSync('/', constants.O_RDONLY));
    return fork();
  } catch {
    // Numbers grow while sessions overlap. At the limit, a terminal with gaps is better than none.
    for (const filler of fillers.splice(0)) closeSync(filler);
    return fork();
  } finally {
    for (const filler of fillers) closeSync(filler);
  }
}

/**
 * Changes the size of a terminal. The size in pixels is that of the cells in which images are laid out. A new terminal
 * has none, which means unknown: setting it then would send SIGWINCH to a program that has just started, and programs
 * can ask the terminal.
 */
export function resizerOf(fd: number): (cols: number, rows: number) => void {
  return (cols, rows) => native.resize(fd, cols, rows, cols * CELL_PX.width, rows * CELL_PX.height);
}
