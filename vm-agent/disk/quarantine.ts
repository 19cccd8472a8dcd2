/**
 * Keeps damaged files for later inspection. The quarantine is limited, because a disk that corrupts one file corrupts
 * many.
 */
import { lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../node/private-files.ts';
import type { Warn } from './warning.ts';

/** Enough to see a pattern. */
export const QUARANTINE_MAX_FILES = 16;

/** Room for a few journals; larger files are deleted. */
export const QUARANTINE_MAX_BYTES = 1024 * 1024;

interface Kept {
  readonly name: string;
  readonly number: number;
  readonly bytes: number;
}

export class Quarantine {
  readonly #dir: string;
  readonly #warn: Warn;
  #kept: Kept[];

  private constructor(dir: string, warn: Warn, kept: Kept[]) {
    this.#dir = dir;
    this.#warn = warn;
    this.#kept = kept;
  }

  static async open(dir: string, warn: Warn): Promise<Quarantine> {
    await makePrivateDirectory(dir);
    const kept: Kept[] = [];
    for (const name of await readdir(dir)) {
      const number = Number(/\.corrupt-(\d+)$/.exec(name)?.[1]);
      if (number >= 0) kept.push({ name, number, bytes: (await lstat(join(dir, name))).size });
    }
    return new Quarantine(
      dir,
      warn,
      kept.sort((a, b) => a.number - b.number),
    );
  }

  get usedBytes(): number {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Moves a file here. `label` says what it was. Never throws. */
  async takeFile(path: string, label: string, why: string): Promise<void> {
    await this.#take(label, why, async (kept) => {
      await rename(path, join(this.#dir, kept));
      return (await lstat(join(this.#dir, kept))).size;
    });
  }

  /** Keeps the damaged end of a file whose beginning is still usable. Never throws. */
  async takeRest(rest: Uint8Array, label: string, why: string): Promise<void> {
    await this.#take(label, why, async (kept) => {
      await writeFile(join(this.#dir, kept), rest, { mode: 0o600 });
      return rest.length;
    });
  }

  async clear(): Promise<void> {
    for (const { name } of this.#kept) await rm(join(this.#dir, name), { force: true });
    this.#kept = [];
  }

  async #take(label: string, why: string, keep: (name: string) => Promise<number>): Promise<void> {
    const number = (this.#kept.at(-1)?.number ?? 0) + 1;
    const name = `${label.replaceAll('/', '.')}.corrupt-${number}`;
    try {
      this.#kept.push({ name, number, bytes: await keep(name) });
      await this.#forgetOldest();
    } catch (error) {
      why += `, and cannot be kept (${(error as Error).message})`;
    }
    this.#warn({ code: 'set_aside', message: `${label} cannot be used: ${why}. See corrupt/${name}.` });
  }

  /** Even the newest file is deleted if it is too large by itself. */
  async #forgetOldest(): Promise<void> {
    while (this.#kept.length > QUARANTINE_MAX_FILES || this.usedBytes > QUARANTINE_MAX_BYTES) {
      const oldest = this.#kept.shift();
      if (oldest !== undefined) await rm(join(this.#dir, oldest.name), { force: true });
    }
  }
}
