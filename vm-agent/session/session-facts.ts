/** What a session knows about itself besides its output: name, title and working directory. */
import { printable } from '../../protocol/printable.ts';
import type { SessionStorage } from '../disk/session-storage.ts';

export class SessionFacts {
  readonly createdAt: Date;
  readonly #storage: SessionStorage;
  #name: string;
  /** The last title, and the program that set it; undefined until the foreground program was checked. */
  #title: { readonly text: string; owner: string | null | undefined } | null = null;
  /** The directory the shell reported; until then the system is asked. */
  #cwd: string | null = null;

  constructor(name: string, createdAt: Date, storage: SessionStorage) {
    this.#name = name;
    this.createdAt = createdAt;
    this.#storage = storage;
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
