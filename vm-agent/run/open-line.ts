/**
 * Whether somebody has begun a line at a prompt. A command that was typed then would become part of that line.
 *
 *            a character             ESC and other keys
 *   empty ◄────────────► written ─────────────────────► edited
 *     ▲    Ctrl-U           └─── Enter ──► entered ◄── Enter ──┘
 *     └────────────────────────────────────┘ a prompt
 *
 * A shell that marks its prompts says when a line has been read: until then Enter may have led to a second line of the
 * same command. Without marks, Enter is taken to end it.
 */

type State = 'empty' | 'written' | 'edited' | 'entered';

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const BACKSPACE = 0x08;
const LINE_FEED = 0x0a;
const ENTER = 0x0d;
const CTRL_U = 0x15;
const SPACE = 0x20;
const DELETE = 0x7f;

export class OpenLine {
  #state: State = 'empty';
  #mayHaveDraft: boolean;

  /** `isAdopted`: an earlier agent process knew what is in the line. */
  constructor(isAdopted = false) {
    this.#mayHaveDraft = isAdopted;
  }

  get isOpen(): boolean {
    return this.#state !== 'empty';
  }

  /**
   * Whether keys were typed before the prompt came that nobody may have read: they are in its line then. A program that
   * was quit with a key has read it. Nor is it known what was typed before this process was started.
   */
  get mayHaveDraft(): boolean {
    return this.#mayHaveDraft;
  }

  /** `isMarked`: the shell marks its prompts. */
  typed(keys: Uint8Array, isMarked: boolean): void {
    for (const key of keys) this.#state = next(this.#state, key, isMarked);
  }

  /** The shell shows a new prompt. */
  prompted(): void {
    this.#mayHaveDraft = this.#state === 'written' || this.#state === 'edited';
    this.#state = 'empty';
  }

  /** Part of a line was left there. */
  left(): void {
    this.#state = 'edited';
  }
}

function next(state: State, key: number, isMarked: boolean): State {
  switch (key) {
    case LINE_FEED:
    case ENTER:
      return isMarked ? 'entered' : 'empty';
    case CTRL_C:
      return 'empty';
    // In an empty line it ends the shell; in another it leaves the line as it is.
    case CTRL_D:
      return state;
    // It removes what is before the cursor, which is everything only if that has not moved.
    case CTRL_U:
      return state === 'written' ? 'empty' : state;
    case BACKSPACE:
    case DELETE:
      return state;
  }
  if (state === 'edited' || key < SPACE) return 'edited';
  return 'written';
}
