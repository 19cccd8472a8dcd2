/**
 * Reads and writes files and directories that hold secrets and must belong to this user alone.
 *
 * Somebody else may have created a directory or a symbolic link where we expect our own. Anything that is not ours, or
 * that others can change, is refused. Symbolic links are not followed.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { StartError } from './start-error.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** Creates the directory if it is missing. An existing one must be ours, and access by others is removed. */
export async function makeSecretDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode, uid, ...is } = await statsOf(path);
  if (is.isLink) throw new StartError(`${path} is a symbolic link; give the directory that it points to.`);
  if (!is.isDirectory) throw new StartError(`${path} is not a directory.`);
  if (uid !== ownUid(uid))
    throw new StartError(`${path} belongs to another user (${uid}); choose another directory.`);
  if ((mode & 0o077) !== 0) await chmod(path, 0o700);
}

async function statsOf(path: string) {
  const stats = await lstat(path);
  return {
    mode: stats.mode,
    uid: stats.uid,
    isLink: stats.isSymbolicLink(),
    isDirectory: stats.isDirectory(),
  };
}

/** Replaces the file atomically. A link in its place is replaced, not followed. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    await file.writeFile(text);
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Throws a StartError if others could have written it or can read it; ENOENT if it is missing. */
export async function readPrivateFile(path: string): Promise<string> {
  const file = await openUnlinked(path);
  try {
    await requireOwn(file, path, (uid) => uid === ownUid(uid));
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Reads a file that the user named explicitly. It may be a link, as mounted secrets are, and may belong to root. Others
 * must not be able to read it.
 */
export async function readNamedSecret(path: string): Promise<string> {
  const file = await open(path, O_RDONLY);
  try {
    await requireOwn(file, path, (uid) => uid === ownUid(uid) || uid === 0);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function openUnlinked(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw new StartError(`${path} is a symbolic link; put the file itself there.`);
  }
}

async function requireOwn(file: FileHandle, path: string, isOwn: (uid: number) => boolean): Promise<void> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new StartError(`${path} is not a file.`);
  if (!isOwn(stats.uid))
    throw new StartError(`${path} belongs to another user (${stats.uid}); delete it or choose another.`);
  if ((stats.mode & 0o077) !== 0) throw new StartError(`${path} may be read by others; run chmod 600 on it.`);
}

/** Without user ids (Windows), everything counts as ours. */
function ownUid(fallback: number): number {
  return process.getuid?.() ?? fallback;
}
