/**
 * Queries this terminal for its colours, so that programs in the session can be told them [OU18], and removes the
 * answers from the user's input.
 *
 * A terminal sends its answers as input, at any time or not at all. So nothing waits for them: keys pass at once, and
 * an answer is removed whenever it comes, as long as one is expected. What may be the beginning of an answer is held
 * back for a moment. The last query is one that every terminal answers, and terminals answer in order: after that
 * answer nothing more is expected, except from terminals that ask others first.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';

/** Queries the foreground, the background, and the terminal type. */
export const QUESTIONS = '\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c';

/** A terminal that is still there has answered by then, even on the other side of the world. */
export const ANSWERS_WITHIN_MS = 1000;

/** The rest of a split answer follows within this time. */
export const HELD_MS = 50;

const ESC = '\x1b';

/** Longer than any colour value. */
const COLOUR = '[^\\x07\\x1b]{0,64}';
const KIND = '[\\d;]{0,64}';
const ANSWER = new RegExp(`\\x1b\\](1[01]);(${COLOUR})(?:\\x07|\\x1b\\\\)|\\x1b\\[\\?${KIND}c`, 'g');
const BEGINNING = new RegExp(`\\x1b(?:\\](?:1(?:[01](?:;(?:${COLOUR}\\x1b?)?)?)?)?|\\[(?:\\?${KIND})?)?$`);

type Question = 'foreground' | 'background' | 'kind';

interface OwnColoursOptions {
  readonly clock: Clock;
  /** Writes to the terminal. */
  readonly ask: (questions: string) => void;
  /** Receives what the user typed. */
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

  /** Takes input from the terminal: keys, with answers between them. */
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

  /**
   * Resolves when no more answers are expected. Otherwise the next program to read the terminal would take an answer
   * for typed input.
   */
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

  /** False when no answer was expected: then the user typed or pasted it. */
  #isAnswered(code: string | undefined, colour = ''): boolean {
    const question = code === undefined ? 'kind' : code === '10' ? 'foreground' : 'background';
    if (!this.#owed.delete(question)) return false;
    const hex = hexOf(colour);
    if (hex !== undefined) this.#theme = { ...this.#theme, [question]: hex };
    return true;
  }

  #beginningOfAnswer(typed: string): number {
    const beginning = this.#owed.size === 0 ? null : BEGINNING.exec(typed);
    // Escape alone is a key, and must not stay slow for ever in a terminal that does not answer.
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

/** Parses `rgb:` with one to four hexadecimal digits per component; `ffff` and `f` both mean the full value. */
function hexOf(colour: string): string | undefined {
  const [, ...parts] =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(colour) ?? [];
  if (parts.length === 0) return undefined;
  const byte = (part: string) => Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255);
  return `#${parts.map((part) => byte(part).toString(16).padStart(2, '0')).join('')}`;
}
