/** Finds wrangler: the one installed beside us, or the one on PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { wranglerVersion } from './wrangler-version.ts';

/** How to start it: what comes before its own arguments. */
export type ProgramStart = readonly [file: string, ...args: string[]];

export async function findWrangler(project: URL, path: string | undefined): Promise<ProgramStart> {
  const found = besideUs(project) ?? onPath(path ?? '');
  if (found !== null) return found;
  throw new CommandError(
    EXIT.failed,
    `there is no wrangler here, which uploads to Cloudflare; install it with \`npm install -g wrangler@${await wranglerVersion()}\``,
  );
}

/** Run by our own Node: the one on PATH may be older than wrangler needs. */
function besideUs(project: URL): ProgramStart | null {
  try {
    const manifest = createRequire(project).resolve('wrangler/package.json');
    return [process.execPath, join(dirname(manifest), 'bin/wrangler.js')];
  } catch {
    return null;
  }
}

/** Relative entries of PATH are skipped: what lies in the current directory is not what the person installed. */
function onPath(path: string): ProgramStart | null {
  const files = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((dir) => join(dir, 'wrangler'));
  const file = files.find(isProgram);
  return file === undefined ? null : [file];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
