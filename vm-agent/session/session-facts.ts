/** What a session knows about itself besides its output: name, title, working directory and last activity. */
import type { Clock } from '../../protocol/clock.ts';
import { printable } from '../../protocol/printable.ts';
import type { SessionStorage } from '../disk/session-storage.ts';

export class SessionFacts {
  readonly createdAt: Date;
  readonly #clock: Clock;
  readonly #storage: SessionStorage;
  #name: string;
  /** The last title, and the program that set it; undefined until the foreground program was checked. */
  #title: { readonly text: string; owner: string | null | undefined } | null = null;
  /** The directory the shell reported; until then the system is asked. */
  #cwd: string | null = null;
  /** Milliseconds instead of a Date, because it changes with every read of the terminal. */
  #lastActivityAt: number;
  /** The same moment on the monotonic clock: a jump of the wall clock must not make a session idle. */
  #activeAt: number;

  constructor(name: string, createdAt: Date, clock: Clock, storage: SessionStorage) {
    this.#name = name;
    this.createdAt = createdAt;
    this.#clock = clock;
    this.#storage = storage;
    this.#lastActivityAt = createdAt.getTime();
    this.#activeAt = clock.now();
  }

  get name(): string {
    return this.#name;
  }

  /**
   * The title set by the program in the foreground. A title that another program left behind says nothing about what
   * runs now. Some systems cannot tell the foreground program; there any title counts.
   */
  titleOf(foreground: string | null): string | null {
    if (this.#title === null) return null;
    if (this.#title.owner === undefined) this.#title.owner = foreground;
    const isOwn = foreground === null || this.#title.owner === null || this.#title.owner === foreground;
    return isOwn ? this.#title.text : null;
  }

  get cwd(): string | null {
    return this.#cwd;
  }

  get lastActivityAt(): Date {
    return new Date(this.#lastActivityAt);
  }

  /** Time since the last input or output. */
  get idleMs(): number {
    return this.#clock.now() - this.#activeAt;
  }

  /** Something was typed or printed. */
  touch(): void {
    this.#lastActivityAt = Date.now();
    this.#activeAt = this.#clock.now();
  }

  rename(name: string): void {
    this.#name = name;
    this.#storage.update({ name });
  }

  retitle(title: string): void {
    const text = printable(title);
    this.#title = text === '' ? null : { text, owner: undefined };
    this.#storage.update({ title: text });
  }

  moveTo(path: string): void {
    this.#cwd = path;
  }
}
