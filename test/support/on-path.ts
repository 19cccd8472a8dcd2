/** Programs that a machine may have and we do not need: a test that runs one says so when it is missing. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The whole path of a program; undefined when the machine has none of this name. */
export function onPath(name: string): string | undefined {
  // Servers live in sbin, which is on the way of root only.
  const dirs = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin'];
  return dirs.map((dir) => join(dir, name)).find(isExecutable);
}

/** As the end of a test's name: why it was skipped, for whoever reads the report. */
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
