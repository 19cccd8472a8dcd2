/**
 * A session's commands, and when they are written again: with the next tick if the last time was long ago, so that a
 * person's commands are on disk at once, and rarely while a script makes many. It has no clock: callers pass the time.
 */
import type { StoredCommand } from '../commands/stored-commands.ts';
import type { KeptCommands } from './session-storage.ts';

/** Up to 64 KiB are written each time. */
export const COMMANDS_EVERY_MS = 5_000;

export class UnsavedCommands {
  readonly #commands: KeptCommands;
  #notedVersion: number;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(commands: KeptCommands) {
    this.#commands = commands;
    this.#notedVersion = commands.version;
  }

  /** Whether nothing has changed since. */
  get isNoted(): boolean {
    return this.#notedVersion === this.#commands.version;
  }

  isDue(now: number): boolean {
    return !this.isNoted && now - this.#notedAt >= COMMANDS_EVERY_MS;
  }

  /** The commands to write; undefined if nothing has changed. */
  note(now: number): readonly StoredCommand[] | undefined {
    if (this.isNoted) return undefined;
    this.#notedVersion = this.#commands.version;
    this.#notedAt = now;
    return this.#commands.stored();
  }
}
