/** What a session knows about itself besides its output: name, title, progress and working directory. */
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import type { SessionStorage } from '../disk/session-storage.ts';
import { isInteractiveShell } from '../pty/foreground.ts';
import type { SpawnSpec } from '../pty/pty.ts';

export class SessionFacts {
  readonly createdAt: Date;
  readonly #storage: SessionStorage;
  #name: string;
  /** The last title, and the program that set it; undefined until the foreground program was checked. */
  #title: { readonly text: string; owner: string | null | undefined } | null = null;
  /** What a program last reported of its work, and the program; undefined until the foreground program was checked. */
  #progress: { readonly value: SessionProgress; owner: string | null | undefined } | null = null;
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

  /**
   * The progress of the program in the foreground. A program that was interrupted leaves its last report behind, so a
   * report ends when another program is in the foreground; one that still works reports again.
   */
  progressOf(foreground: string | null): SessionProgress | null {
    if (this.#progress === null) return null;
    if (this.#progress.owner === undefined) this.#progress.owner = foreground;
    const { owner } = this.#progress;
    if (foreground !== null && owner !== null && owner !== foreground) this.#progress = null;
    return this.#progress?.value ?? null;
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

  /** False if nothing has changed. The next reports of the same work are by the same program. */
  advance(progress: SessionProgress | null): boolean {
    const before = this.#progress;
    this.#progress = progress === null ? null : { value: progress, owner: before?.owner };
    return before?.value.state !== progress?.state || before?.value.percent !== progress?.percent;
  }

  moveTo(path: string): void {
    this.#cwd = path;
  }
}

/**
 * Where the agent's next life starts the program. A shell starts in its current directory as the system reports it,
 * because the shell's own report may be about another machine or out of date. Any other program starts in its original
 * directory, because its arguments may be relative paths.
 */
export function startDirectory(
  { command, args, cwd }: SpawnSpec,
  current: () => string | null,
): string | null {
  return isInteractiveShell(command, args) ? current() : cwd;
}
