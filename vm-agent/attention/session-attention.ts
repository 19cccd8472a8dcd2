/**
 * Whether a session wants a person's attention: at most one thing at a time, the most urgent, and of equals the newest.
 * Nothing is noted while a person looks, and looking clears it. Rule AS6. Pure; callers pass the time.
 */
import { ATTENTION_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import type { Attention } from '../../protocol/messages/attention.ts';
import { printable } from '../../protocol/printable.ts';

export type Noted = Omit<Attention, 'at'>;

export class SessionAttention {
  readonly #changed: () => void;
  #current: Attention | null;
  #isLookedAt = false;

  constructor(current: Attention | null, changed: () => void) {
    this.#current = current;
    this.#changed = changed;
  }

  get current(): Attention | null {
    return this.#current;
  }

  /** Whether a person sees the session now. */
  get isLookedAt(): boolean {
    return this.#isLookedAt;
  }

  look(isLookedAt: boolean): void {
    this.#isLookedAt = isLookedAt;
    if (isLookedAt) this.#set(null);
  }

  note(noted: Noted, at: Date): void {
    if (this.#isLookedAt) return;
    const text = printable(noted.text, ATTENTION_TEXT_MAX_CHARS);
    const before = this.#current;
    if (before !== null && urgencyOf({ ...noted, text }) < urgencyOf(before)) return;
    // The same once more is no news: a program that asks again and again has asked once.
    if (before?.state === noted.state && before.text === text) return;
    this.#set({ ...noted, text, at: at.toISOString() });
  }

  /** The program that was thought to wait does not wait any more. */
  withdrawGuess(): void {
    if (this.#current?.guessed === true) this.#set(null);
  }

  #set(attention: Attention | null): void {
    if (attention === null && this.#current === null) return;
    this.#current = attention;
    this.#changed();
  }
}

/** A bell says less than a text, and a guess less than a bell. */
function urgencyOf({ state, text, guessed }: Pick<Attention, 'state' | 'text' | 'guessed'>): number {
  if (state === 'done') return 1;
  if (state === 'failed') return 2;
  if (guessed === true) return 3;
  return text === '' ? 4 : 5;
}
