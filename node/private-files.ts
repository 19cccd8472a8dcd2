/** Files and directories that only their owner may read, and files that are replaced as a whole or not at all. */
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Makes the directory if need be. One that exists already is closed to others: its mode may be an accident. One of another
 * user is refused: its owner could read what is kept there and plant what is revived, also where we are root.
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  // Both the directory and, where it is reached by a link, the link.
  for (const { uid } of [await lstat(path), await stat(path)])
    if (uid !== (process.getuid?.() ?? uid))
      throw new Error(`${path} belongs to another user (${uid}); choose another directory, or chown it`);
  await chmod(path, OWNER_ONLY_DIRECTORY);
}

/** A new file; one that is in the way is emptied. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, 'w', OWNER_ONLY_FILE);
}

/** The next content of a file, beside it under a temporary name. */
export interface StagedFile {
  readonly byteLength: number;
  /** Resolves once the content would survive a power cut. */
  sync(): Promise<void>;
  /** Replaces the file, at once and as a whole. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Throws what the disk says, leaving nothing behind. */
export async function stageFile(path: string, content: Uint8Array): Promise<StagedFile> {
  const temporary = `${path}${TEMPORARY_SUFFIX}`;
  const handle = await createPrivateFile(temporary);
  const discard = async () => {
    await handle.close();
    await rm(temporary, { force: true });
  };
  try {
    await handle.writeFile(content);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    byteLength: content.length,
    sync: () => handle.sync(),
    async commit() {
      await handle.close();
      await rename(temporary, path);
    },
    discard,
  };
}
