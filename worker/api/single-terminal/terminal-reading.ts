/**
 * Checks whether a third-party terminal reads what it is sent. Its socket does not tell, and typing proves nothing: a
 * client can type without reading. But terminals answer queries, and one query's answer repeats a number of our choice:
 * the state of a mode that no terminal has (DECRQM). The answer is removed from the typed input. Rule RL25.
 */
import { READ_CHECK_EVERY_BYTES } from '../../../protocol/limits.ts';

/** Seven to ten digits: no terminal has such modes, and the number cannot be guessed. */
const SMALLEST_MODE = 1_000_000;
const LARGEST_MODE = 2_000_000_000;

export class TerminalReading {
  readonly #random: () => number;
  #unread = 0;
  /** The part of `#unread` that was sent after the query. */
  #sinceQuestion = 0;
  #mode: number | null = null;

  /** `random` returns a number between 0 and 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  sent(bytes: number): void {
    this.#unread += bytes;
    this.#sinceQuestion += bytes;
  }

  /** The query to send now, between two sequences; null when none is needed. */
  question(): string | null {
    if (this.#mode !== null || this.#unread < READ_CHECK_EVERY_BYTES) return null;
    this.#mode = SMALLEST_MODE + Math.floor(this.#random() * (LARGEST_MODE - SMALLEST_MODE));
    this.#sinceQuestion = 0;
    return `\x1b[?${this.#mode}$p`;
  }

  /** The typed text without the answer, and how many bytes the answer proves to be read. */
  typed(text: string): { readonly text: string; readonly read: number } {
    if (this.#mode === null) return { text, read: 0 };
    const answer = `\x1b[?${this.#mode};0$y`;
    const at = text.indexOf(answer);
    if (at < 0) return { text, read: 0 };
    const read = this.#unread - this.#sinceQuestion;
    this.#unread = this.#sinceQuestion;
    this.#mode = null;
    return { text: text.slice(0, at) + text.slice(at + answer.length), read };
  }
}
