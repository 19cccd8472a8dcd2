/**
 * The folder from which shells read our scripts. Whoever can write there can run commands in every session, so it is
 * checked before each start: it and its files belong to us, nobody else may write, and the files are as we wrote them.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OTHERS_MAY_WRITE = 0o022;

export class ScriptFolder {
  readonly #wanted: string | null;
  #temporary: string | undefined;

  /** Null: a temporary folder, made when it is first needed. */
  constructor(path: string | null) {
    this.#wanted = path;
  }

  /** The folder, with this file in it. Throws if it cannot be written, or if somebody else could write to it. */
  provide(name: string, content: Uint8Array): string {
    const folder = this.#open();
    requireOurs(folder, 'directory');
    const file = join(folder, name);
    if (!exists(file)) write(file, content);
    requireOurs(file, 'file');
    // An earlier version of the agent wrote it, or it was damaged.
    if (!readFileSync(file).equals(content)) write(file, content);
    return folder;
  }

  /** Removes what is temporary. Shells that run do not read it again. */
  remove(): void {
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
    this.#temporary = undefined;
  }

  #open(): string {
    if (this.#wanted !== null) {
      mkdirSync(this.#wanted, { recursive: true, mode: 0o700 });
      return this.#wanted;
    }
    // Machines clean up their temporary files.
    if (this.#temporary === undefined || !exists(this.#temporary))
      this.#temporary = mkdtempSync(join(tmpdir(), 'holdfast-shell-'));
    return this.#temporary;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A link is refused: it may lead anywhere. */
function requireOurs(path: string, kind: 'directory' | 'file'): void {
  const stat = lstatSync(path);
  if (!(kind === 'file' ? stat.isFile() : stat.isDirectory())) throw new Error(`${path} is not a ${kind}`);
  if (stat.uid !== (process.getuid?.() ?? stat.uid)) throw new Error(`${path} belongs to another user`);
  if ((stat.mode & OTHERS_MAY_WRITE) !== 0) throw new Error(`others may write to ${path}`);
}

/** Replaced as a whole, because a shell may be reading it. */
function write(file: string, content: Uint8Array): void {
  const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
