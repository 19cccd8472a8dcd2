/** Waits for what an agent saves: a crash may lose what is printed later. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { TEMPORARY_SUFFIX } from '../../node/private-files.ts';

/** Resolves when some file of a session in this state directory contains `text`. */
export async function untilKept(stateDir: string, text: string): Promise<void> {
  const files = () =>
    readdirSync(join(stateDir, 'sessions'), { recursive: true, withFileTypes: true })
      // A temporary file that is about to replace another is not saved yet.
      .filter((entry) => entry.isFile() && !entry.name.endsWith(TEMPORARY_SUFFIX))
      .map((entry) => join(entry.parentPath, entry.name));
  // A file may be gone by the time it is read, because it was rewritten.
  const has = (path: string) => existsSync(path) && readFileSync(path).includes(text);
  await expect.poll(() => files().some(has)).toBe(true);
}
