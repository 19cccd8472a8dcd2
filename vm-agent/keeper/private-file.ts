/**
 * A file without a name: only the processes that have it open can read it, and it is gone with the last of them. It
 * holds what programs printed and what was typed, so nobody else may find it, and nothing of it may be left.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STATE_MAX_BYTES } from './limits.ts';
import { StateError } from './state-file.ts';

const READ_BYTES = 1024 * 1024;

/** Memory first: what is written there never reaches a disk. */
const FOLDERS: readonly string[] = ['/dev/shm', tmpdir()];

/** Takes the lowest free descriptor. */
export function openNameless(folders = FOLDERS): number {
  const [folder, ...others] = folders;
  if (folder === undefined) throw new Error('no folder takes a file');
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const path = join(folder, `holdfast-${randomBytes(16).toString('hex')}`);
  let fd: number;
  try {
    fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (others.length === 0) throw error;
    return openNameless(others);
  }
  try {
    // Before anything is written.
    unlinkSync(path);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function writeWhole(fd: number, pieces: Iterable<Uint8Array>): void {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at, piece.length - at);
}

/** Everything in the file, from its beginning. The pieces are valid until the next one. */
export function* readWhole(fd: number): Generator<Buffer> {
  const { size } = ownFile(fd);
  if (size > STATE_MAX_BYTES) throw new StateError(`it has ${size} bytes`);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; at < size; ) {
    const count = readSync(fd, buffer, 0, READ_BYTES, at);
    if (count === 0) return;
    at += count;
    yield buffer.subarray(0, count);
  }
}

/** Throws unless it is a file of this user that nobody else could have opened. */
function ownFile(fd: number): { readonly size: number } {
  const stat = fstatSync(fd);
  const isOurs = stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  if (!stat.isFile() || stat.nlink !== 0 || !isOurs) throw new StateError('it is not a private file of ours');
  return stat;
}
