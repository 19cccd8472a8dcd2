/**
 * How much this isolate holds for answers that are not taken yet. Snapshots are large and readers may be slow, so what
 * they hold together is bounded, and what one workspace holds is too.
 */
import { ANSWERS_HELD_MAX_BYTES, WORKSPACE_ANSWERS_HELD_MAX_BYTES } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';

const WORKSPACE_SHARE = 0.75;

/** … and its viewers may hold so much of that, which is more than the largest snapshot: operators find something, too. */
const VIEWERS_SHARE = 0.75;

interface Held {
  all: number;
  ofViewers: number;
}

/** What is held at most, in all and for one workspace. */
interface BudgetSize {
  readonly all: number;
  readonly ofWorkspace: number;
}

const ANSWERS: BudgetSize = { all: ANSWERS_HELD_MAX_BYTES, ofWorkspace: WORKSPACE_ANSWERS_HELD_MAX_BYTES };

export class AnswerBudget {
  readonly #size: BudgetSize;
  #held = 0;
  readonly #byWorkspace = new Map<string, Held>();

  constructor(size: BudgetSize = ANSWERS) {
    this.#size = size;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** Opens an account for one answer. Whoever opens one closes it. */
  open(workspace: string, isViewer: boolean): AnswerAccount {
    return new AnswerAccount((bytes) => this.#take(workspace, isViewer, bytes));
  }

  /** Takes, or gives back what is less than nothing. False when there is not so much. */
  #take(workspace: string, isViewer: boolean, bytes: number): boolean {
    const held = this.#byWorkspace.get(workspace) ?? { all: 0, ofViewers: 0 };
    const all = held.all + bytes;
    const ofViewers = held.ofViewers + (isViewer ? bytes : 0);
    // Of what the others leave, a quarter stays free: whoever comes next finds something.
    const share = (this.#size.all - (this.#held - held.all)) * WORKSPACE_SHARE;
    const most = Math.min(share, this.#size.ofWorkspace);
    if (bytes > 0 && (all > most || (isViewer && ofViewers > most * VIEWERS_SHARE))) return false;
    this.#held += bytes;
    if (all > 0) this.#byWorkspace.set(workspace, { all, ofViewers });
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
