/**
 * Reads the files of the state directory, which decide what the agent starts. Somebody else may have put something there
 * while others could write to the directory, so only what nobody else can have written counts. Links are not followed,
 * and a pipe or a device is not waited for.
 */
import { constants, type Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const OTHERS_MAY_WRITE = 0o022;

export async function requireOwnDirectory(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new Error('it is not a directory');
  requireOwn(stats);
}

/** Null if there is none. Throws if it is not a file of ours, or longer than `maxBytes`. */
export async function readOwnFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
  const stats = await lstat(path).catch(ifMissing);
  if (stats === null) return null;
  if (!stats.isFile()) throw new Error(`${path} is not a file`);
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    // Of the opened file: the name may belong to another one by now.
    const opened = await file.stat();
    requireOwn(opened);
    if (opened.size > maxBytes) throw new Error(`${path} has ${opened.size} bytes; ${maxBytes} are allowed`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function requireOwn({ uid, mode }: Stats): void {
  if (uid !== (process.getuid?.() ?? uid)) throw new Error(`it belongs to another user (${uid})`);
  if ((mode & OTHERS_MAY_WRITE) !== 0) throw new Error('others may write to it');
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
