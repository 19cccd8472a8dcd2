/**
 * Asks the user's own terminal for the keyboard that the session's program wants, and gives it up at the end.
 *
 * The terminal gets one set of flags per screen, above those that it had: the user's shell may have asked too. So there
 * is always exactly one to take back, however many the program has saved. The alternate screen has one only while it is
 * shown, because it cannot be taken back from outside.
 */
import { applyKeySequence, KeyModes, type KeySequence } from '../../protocol/terminal/keyboard/key-modes.ts';

const BACK = '\x1b[<u';
const OTHER_KEYS_OFF = '\x1b[>4m';

export class OwnKeyboard {
  readonly #modes = new KeyModes(() => this.#isAlternate);
  #isAlternate = false;
  /** The flags that each screen of the terminal was given; null: its own. */
  readonly #given: Record<'normal' | 'alternate', number | null> = { normal: null, alternate: null };
  #givenOtherKeys = 0;

  /** Whether a sequence is about the keyboard, and what to pass on for it. */
  take(sequence: KeySequence): string | null {
    return applyKeySequence(this.#modes, sequence) ? this.#give() : null;
  }

  /** What to write before the sequence that switches to the normal screen. */
  leaving(): string {
    const given = this.#given.alternate;
    this.#given.alternate = null;
    return given === null ? '' : BACK;
  }

  /** What to write after a sequence that switches between the screens. */
  switched(isAlternate: boolean): string {
    this.#isAlternate = isAlternate;
    return this.#give();
  }

  /** What to write before a soft reset. Not every terminal includes the keyboard in it. */
  reset(): string {
    this.#modes.reset();
    return this.#give();
  }

  /** What gives the terminal its own keyboard again: on the alternate screen, then on the normal one. */
  get plain(): { readonly alternate: string; readonly normal: string } {
    const { normal, alternate } = this.#given;
    return {
      alternate: alternate === null ? '' : BACK,
      normal: (normal === null ? '' : BACK) + (this.#givenOtherKeys === 0 ? '' : OTHER_KEYS_OFF),
    };
  }

  #give(): string {
    return this.#giveFlags() + this.#giveOtherKeys();
  }

  #giveFlags(): string {
    const screen = this.#isAlternate ? 'alternate' : 'normal';
    const given = this.#given[screen];
    const { flags } = this.#modes;
    const isAsking = flags !== 0 || this.#modes.state[screen].length > 1;
    this.#given[screen] = isAsking ? flags : null;
    if (!isAsking) return given === null ? '' : BACK;
    if (given === null) return `\x1b[>${flags}u`;
    return given === flags ? '' : `\x1b[=${flags}u`;
  }

  #giveOtherKeys(): string {
    const { otherKeys } = this.#modes;
    if (otherKeys === this.#givenOtherKeys) return '';
    this.#givenOtherKeys = otherKeys;
    return otherKeys === 0 ? OTHER_KEYS_OFF : `\x1b[>4;${otherKeys}m`;
  }
}
