/**
 * A session's commands, and when they are written again: with the next tick if the last time was long ago, so that a
 * person's commands are on disk at once, and rarely while a script makes many. A crash loses those since then, but their
 * numbers are not used again: some more are stored as used. It has no clock: callers pass the time.
 */
import type { StoredCommands } from '../commands/stored-commands.ts';
import type { KeptCommands } from './session-storage.ts';

/** Up to 64 KiB are written each time. */
export const COMMANDS_EVERY_MS = 5_000;

/** More than a person runs within COMMANDS_EVERY_MS. If a script does, its commands are written sooner. */
export const SPARE_NUMBERS = 100;

export class UnsavedCommands {
  readonly #commands: KeptCommands;
  #notedVersion: number;
  #notedAt = Number.NEGATIVE_INFINITY;
  /** The next number as it is on disk. */
  #notedNumber: number;

  constructor(commands: KeptCommands) {
    this.#commands = commands;
    this.#notedVersion = commands.version;
    this.#notedNumber = commands.nextNumber;
  }

  /** Whether nothing has changed since. */
  get isNoted(): boolean {
    return this.#notedVersion === this.#commands.version;
  }

  isDue(now: number): boolean {
    const isSpent = this.#commands.nextNumber > this.#notedNumber;
    return !this.isNoted && (isSpent || now - this.#notedAt >= COMMANDS_EVERY_MS);
  }

  /** The commands to write; undefined if nothing has changed. `isLast`: nothing will change any more. */
  note(now: number, isLast: boolean): StoredCommands | undefined {
    const isSpare = this.#notedNumber > this.#commands.nextNumber;
    if (this.isNoted && !(isLast && isSpare)) return undefined;
    this.#notedVersion = this.#commands.version;
    this.#notedAt = now;
    this.#notedNumber = this.#commands.nextNumber + (isLast ? 0 : SPARE_NUMBERS);
    return { list: this.#commands.stored(), nextNumber: this.#notedNumber };
  }
}
