/** Waits for what an agent saves: a crash may lose what is printed later. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEMPORARY_SUFFIX } from '../../node/private-files.ts';

const LOOK_EVERY_MS = 50;

/** Resolves when some file of a session in this state directory contains `text`. */
export async function untilKept(stateDir: string, text: string): Promise<void> {
  const files = () =>
    readdirSync(join(stateDir, 'sessions'), { recursive: true, withFileTypes: true })
      // A temporary file that is about to replace another is not saved yet.
      .filter((entry) => entry.isFile() && !entry.name.endsWith(TEMPORARY_SUFFIX))
      .map((entry) => join(entry.parentPath, entry.name));
  // A file may be gone by the time it is read, because it was rewritten.
  const has = (path: string) => existsSync(path) && readFileSync(path).includes(text);
  for (;;) {
    try {
      if (files().some(has)) return;
    } catch (error) {
      // So may a folder.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
