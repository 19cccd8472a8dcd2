/**
 * Asks this terminal for its colours, so that programs in the session can be told them [OU18], and takes the answers out of what
 * is typed.
 *
 * A terminal answers by typing, whenever it likes, or not at all. So nobody waits: keys pass at once, and an answer is taken out
 * whenever it comes, for as long as it is owed. What may be the beginning of one is held back for a moment. The last question is one
 * that every terminal answers, and terminals answer in order: after it nothing is owed but by terminals that ask others first.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Theme } from '../../protocol/messages.ts';

/** Foreground, background, and what kind of terminal it is. */
export const QUESTIONS = '\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c';

/** A terminal that is still there has answered by then, at the other end of the world too. */
export const ANSWERS_WITHIN_MS = 1000;

/** The rest of an answer that was cut follows within this. */
export const HELD_MS = 50;

const ESC = '\x1b';

/** Longer than any colour is written. */
const COLOUR = '[^\\x07\\x1b]{0,64}';
const KIND = '[\\d;]{0,64}';
const ANSWER = new RegExp(`\\x1b\\](1[01]);(${COLOUR})(?:\\x07|\\x1b\\\\)|\\x1b\\[\\?${KIND}c`, 'g');
const BEGINNING = new RegExp(`\\x1b(?:\\](?:1(?:[01](?:;(?:${COLOUR}\\x1b?)?)?)?)?|\\[(?:\\?${KIND})?)?$`);

type Question = 'foreground' | 'background' | 'kind';

interface OwnColoursOptions {
  readonly clock: Clock;
  /** To the terminal. */
  readonly ask: (questions: string) => void;
  /** By the person. */
  readonly typed: (bytes: Uint8Array) => void;
  readonly known: (theme: Theme) => void;
}

export class OwnColours {
  readonly #options: OwnColoursOptions;
  readonly #owed = new Set<Question>();
  #theme: Theme = {};
  /** What may be the beginning of an answer. */
  #held = '';
  #release: Cancel | undefined;
  #isWaiting = false;
  #stopped: () => void = () => {};

  constructor(options: OwnColoursOptions) {
    this.#options = options;
  }

  ask(): void {
    for (const question of ['foreground', 'background', 'kind'] as const) this.#owed.add(question);
    this.#isWaiting = true;
    const cancel = this.#options.clock.after(ANSWERS_WITHIN_MS, () => this.#stopWaiting());
    this.#stopped = cancel;
    this.#options.ask(QUESTIONS);
  }

  /** Read from the terminal: keys, and answers between them. */
  read(bytes: Uint8Array): void {
    if (this.#owed.size === 0) return this.#options.typed(bytes);
    this.#release?.();
    const { foreground, background } = this.#theme;
    const typed = (this.#held + Buffer.from(bytes).toString('latin1')).replace(
      ANSWER,
      (answer, code, colour) => (this.#isAnswered(code, colour) ? '' : answer),
    );
    if (this.#theme.foreground !== foreground || this.#theme.background !== background)
      this.#options.known(this.#theme);
    if (!this.#owed.has('kind')) this.#stopWaiting();
    const end = this.#beginningOfAnswer(typed);
    this.#held = typed.slice(end);
    if (this.#held !== '') this.#release = this.#options.clock.after(HELD_MS, () => this.#letGo());
    this.#type(typed.slice(0, end));
  }

  /** Resolves when no answer is to be expected any more: whoever reads the terminal next would take it for typing. */
  settled(): Promise<void> {
    if (!this.#isWaiting) return Promise.resolve();
    const cancel = this.#stopped;
    return new Promise((resolve) => {
      this.#stopped = () => {
        cancel();
        resolve();
      };
    });
  }

  /** False when nobody asked: then it was typed, or pasted. */
  #isAnswered(code: string | undefined, colour = ''): boolean {
    const question = code === undefined ? 'kind' : code === '10' ? 'foreground' : 'background';
    if (!this.#owed.delete(question)) return false;
    const hex = hexOf(colour);
    if (hex !== undefined) this.#theme = { ...this.#theme, [question]: hex };
    return true;
  }

  #beginningOfAnswer(typed: string): number {
    const beginning = this.#owed.size === 0 ? null : BEGINNING.exec(typed);
    // Escape alone is a key, which must not be slow for ever in a terminal that does not answer.
    return beginning === null || (beginning[0] === ESC && !this.#isWaiting) ? typed.length : beginning.index;
  }

  #letGo(): void {
    const held = this.#held;
    this.#held = '';
    this.#type(held);
  }

  #type(text: string): void {
    if (text !== '') this.#options.typed(Buffer.from(text, 'latin1'));
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#stopped();
  }
}

/** `rgb:` and one to four hexadecimal digits a part, of which `ffff` and `f` both mean all of it. */
function hexOf(colour: string): string | undefined {
  const [, ...parts] =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(colour) ?? [];
  if (parts.length === 0) return undefined;
  const byte = (part: string) => Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255);
  return `#${parts.map((part) => byte(part).toString(16).padStart(2, '0')).join('')}`;
}
