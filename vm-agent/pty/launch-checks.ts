/**
 * Checks whether a program can be started before trying. If node-pty cannot enter a directory or start a program, it
 * reports no error: it prints a message into the terminal and exits with 1.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Refusal } from '../../protocol/errors.ts';
import type { SpawnSpec } from './pty.ts';

/** Where to search for programs if the environment has no PATH, like execvp(3). */
const DEFAULT_PATH = '/bin:/usr/bin';

/** Whether a program could be started in this directory. */
export function canEnter(cwd: string): boolean {
  return obstacle(cwd, 'directory') === undefined;
}

export function checkDirectory(cwd: string): void {
  const why = obstacle(cwd, 'directory');
  if (why === undefined) return;
  throw new Refusal(
    'cwd_missing',
    `The program was not started: the directory "${cwd}" ${why}. Choose another directory, or create it.`,
  );
}

/** The absolute path of the program to start. */
export function findCommand({ command, cwd, env }: SpawnSpec): string {
  const folders = command.includes('/') ? [cwd] : (env.PATH ?? DEFAULT_PATH).split(':');
  const candidates = folders.map((folder) => resolve(cwd, folder, command));
  const obstacles = candidates.map((path) => obstacle(path, 'program'));
  const found = candidates[obstacles.indexOf(undefined)];
  if (found !== undefined) return found;
  const why = obstacles.find((each) => each !== MISSING);
  const where = command.includes('/') ? '' : ` in ${folders.join(', ')}`;
  if (why === undefined) {
    throw new Refusal(
      'command_missing',
      `The program was not started: "${command}" ${MISSING}${where}. Check its spelling, or install it.`,
    );
  }
  throw new Refusal(
    'not_executable',
    `The program was not started: "${command}" ${why}. Choose another program, or make it executable (chmod +x).`,
  );
}

const MISSING = 'does not exist';

/** Why `path` cannot be entered or run; undefined if it can. */
function obstacle(path: string, wanted: 'directory' | 'program'): string | undefined {
  try {
    const stat = statSync(path);
    if (wanted === 'directory' && !stat.isDirectory()) return 'is not a directory';
    if (wanted === 'program' && !stat.isFile()) return 'is not a file';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return MISSING;
    return wanted === 'directory' ? `may not be entered (${code})` : `may not be run (${code})`;
  }
}
