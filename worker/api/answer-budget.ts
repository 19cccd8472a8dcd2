/**
 * How much this isolate holds for answers that are not taken yet. Snapshots are large and readers may be slow, so what
 * they hold together is bounded, and what one workspace holds is too.
 */
import { ANSWERS_HELD_MAX_BYTES, WORKSPACE_ANSWERS_HELD_MAX_BYTES } from '../../protocol/limits.ts';
import { ApiError } from './api-error.ts';

const WORKSPACE_SHARE = 0.75;

export class AnswerBudget {
  #held = 0;
  readonly #byWorkspace = new Map<string, number>();

  get heldBytes(): number {
    return this.#held;
  }

  /** Opens an account for one answer. Whoever opens one closes it. */
  open(workspace: string): AnswerAccount {
    return new AnswerAccount((bytes) => this.#take(workspace, bytes));
  }

  /** Takes, or gives back what is less than nothing. False when there is not so much. */
  #take(workspace: string, bytes: number): boolean {
    const before = this.#byWorkspace.get(workspace) ?? 0;
    const ofWorkspace = before + bytes;
    // Of what the others leave, a quarter stays free: whoever comes next finds something.
    const share = (ANSWERS_HELD_MAX_BYTES - (this.#held - before)) * WORKSPACE_SHARE;
    if (bytes > 0 && ofWorkspace > Math.min(share, WORKSPACE_ANSWERS_HELD_MAX_BYTES)) return false;
    this.#held += bytes;
    if (ofWorkspace > 0) this.#byWorkspace.set(workspace, ofWorkspace);
    else this.#byWorkspace.delete(workspace);
    return true;
  }
}

export class AnswerAccount {
  readonly #take: (bytes: number) => boolean;
  #bytes = 0;
  #refusal: ApiError | undefined;
  #isClosed = false;

  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** Throws what HTTP says when too much is held already. */
  hold(bytes: number): void {
    if (this.#isClosed) throw new Error('the answer was given up');
    if (!this.#take(bytes)) {
      this.#refusal = busy();
      throw this.#refusal;
    }
    this.#bytes += bytes;
  }

  /** What was said when too much was held. */
  get refusal(): ApiError | undefined {
    return this.#refusal;
  }

  /** Of what is held, this was taken. */
  release(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes -= bytes;
    this.#take(-bytes);
  }

  /** For good: what is still on its way to it is not held. */
  close(): void {
    this.#isClosed = true;
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}

const busy = () =>
  new ApiError(
    429,
    'busy',
    'The relay is sending too many large answers. Try again in a moment; a snapshot is smaller with scope=screen.',
  );

/** Of this isolate. */
export const answerBudget = new AnswerBudget();
