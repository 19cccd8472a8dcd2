/** What the user is told about the terminals of a window: a notice that passes, and losses that stay until dismissed. */
import type { Clock } from '../../../protocol/clock.ts';
import { isAboutLoss, type Note } from './flow-state.ts';
import { noteText } from './note-text.ts';
import { Notices } from './notices.ts';
import { type TabList, tabOf } from './tab-list.ts';

/** Something the user has lost: a shell, or typed input. */
export interface Loss {
  readonly sentence: string;
  /** Readable text that was typed and reached no program. */
  readonly undelivered: string;
}

interface TabNotesOptions {
  readonly clock: Clock;
  readonly list: () => TabList;
  /** How long the agent keeps a session without clients, if that is known. */
  readonly graceMs: () => number | undefined;
  readonly changed: () => void;
}

export class TabNotes {
  readonly #options: TabNotesOptions;
  readonly #notices: Notices;
  /** Notes about replaced shells in tabs that have not been active since. */
  readonly #untold = new Map<string, Note>();
  readonly #losses = new Map<string, Loss>();

  constructor(options: TabNotesOptions) {
    this.#options = options;
    this.#notices = new Notices(options.clock, options.changed);
  }

  /** The current notice, which needs no answer; empty after a while. */
  get notice(): string {
    return this.#notices.text;
  }

  /** What was lost in a terminal, until the user dismisses it; null when nothing was. */
  loss(key: string): Loss | null {
    return this.#losses.get(key) ?? null;
  }

  dismissLoss(key: string): void {
    if (this.#losses.delete(key)) this.#options.changed();
  }

  add(key: string, note: Note): void {
    if (isAboutLoss(note))
      this.#losses.set(key, { sentence: this.#textOf(key, note), undelivered: note.undelivered });
    if (key === this.#options.list().active) return this.#notices.say(this.#textOf(key, note));
    // A note about an inactive tab is shown when the tab becomes active.
    if (note.kind === 'replaced') this.#untold.set(key, note);
    this.#options.changed();
  }

  /** The tab has become active, so what is to be said about it is said now. */
  activated(key: string): void {
    const untold = this.#untold.get(key);
    if (untold === undefined) return;
    this.#untold.delete(key);
    this.add(key, untold);
  }

  /** The tab is closed. */
  forget(key: string): void {
    this.#losses.delete(key);
  }

  stop(): void {
    this.#notices.stop();
  }

  #textOf(key: string, note: Note): string {
    const { graceMs, list } = this.#options;
    return noteText(note, { name: tabOf(list(), key)?.name ?? '', graceMs: graceMs() });
  }
}
