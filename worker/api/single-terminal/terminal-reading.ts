/**
 * Whether a terminal that speaks nothing of ours reads what it is sent. Its socket does not tell, and keys prove nothing:
 * one that types need not read. But terminals answer questions, and one of them repeats a number of our choice: a mode
 * that no terminal has (DECRQM). Its answer is taken out of what is typed. Rule RL25.
 */
import { READ_CHECK_EVERY_BYTES } from '../../../protocol/limits.ts';

/** Of seven to ten digits: no terminal has such modes, and nobody guesses one. */
const SMALLEST_MODE = 1_000_000;
const LARGEST_MODE = 2_000_000_000;

export class TerminalReading {
  readonly #random: () => number;
  #unread = 0;
  /** … of which after the question. */
  #sinceQuestion = 0;
  #mode: number | null = null;

  /** `random`: between 0 and 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  sent(bytes: number): void {
    this.#unread += bytes;
    this.#sinceQuestion += bytes;
  }

  /** What to ask now, between two sequences; null when there is no need. */
  question(): string | null {
    if (this.#mode !== null || this.#unread < READ_CHECK_EVERY_BYTES) return null;
    this.#mode = SMALLEST_MODE + Math.floor(this.#random() * (LARGEST_MODE - SMALLEST_MODE));
    this.#sinceQuestion = 0;
    return `\x1b[?${this.#mode}$p`;
  }

  /** What was typed without the answer, and how much that has shown to be read. */
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
