/** Files and directories that only their owner can read, and files that are replaced atomically. */
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Creates the directory if necessary. Access by others to an existing one is removed, because its mode may be an
 * accident. A directory of another user is refused, even if we are root: its owner could read what is kept there and
 * plant what is revived.
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  // Check the directory and, if it is reached by a link, the link.
  for (const { uid } of [await lstat(path), await stat(path)])
    if (uid !== (process.getuid?.() ?? uid))
      throw new Error(`${path} belongs to another user (${uid}); choose another directory, or chown it`);
  await chmod(path, OWNER_ONLY_DIRECTORY);
}

/** A new file; an existing one is emptied. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, 'w', OWNER_ONLY_FILE);
}

/** The next content of a file, next to it under a temporary name. */
export interface StagedFile {
  readonly byteLength: number;
  /** Resolves once the content would survive a power failure. */
  sync(): Promise<void>;
  /** Replaces the file atomically. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Throws the disk's error and leaves nothing behind. */
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
