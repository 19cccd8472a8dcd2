/** Finds optional programs. A test that needs one says in its name when it is missing. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The full path of a program; undefined when the machine does not have it. */
export function onPath(name: string): string | undefined {
  // Servers are in sbin, which only root has in its PATH.
  const dirs = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin'];
  return dirs.map((dir) => join(dir, name)).find(isExecutable);
}

/** Suffix for a test's name that says why it was skipped. */
export function unlessMissing(name: string, path: string | undefined): string {
  return path === undefined ? ` (skipped: there is no ${name} on this machine)` : '';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
