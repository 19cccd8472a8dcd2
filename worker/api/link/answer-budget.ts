/**
 * Bounds the memory that this isolate holds for answers that were not read yet. Snapshots are large and readers may be
 * slow, so there is a limit for all workspaces together and one for each workspace.
 */
import { ANSWERS_HELD_MAX_BYTES, WORKSPACE_ANSWERS_HELD_MAX_BYTES } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';

const WORKSPACE_SHARE = 0.75;

/**
 * Viewers may hold this share of their workspace's limit. It is more than the largest snapshot, and leaves room for
 * operators.
 */
const VIEWERS_SHARE = 0.75;

interface Held {
  all: number;
  ofViewers: number;
}

/** Limits for the isolate and for one workspace, in bytes. */
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

  /** Opens an account for one answer. The caller must close it. */
  open(workspace: string, isViewer: boolean): AnswerAccount {
    return new AnswerAccount((bytes) => this.#take(workspace, isViewer, bytes));
  }

  /** Reserves bytes, or releases them if `bytes` is negative. False when the limit would be exceeded. */
  #take(workspace: string, isViewer: boolean, bytes: number): boolean {
    const held = this.#byWorkspace.get(workspace) ?? { all: 0, ofViewers: 0 };
    const all = held.all + bytes;
    const ofViewers = held.ofViewers + (isViewer ? bytes : 0);
    // A quarter of what other workspaces leave stays free, so that the next workspace finds room.
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

  /** Throws an ApiError when the limit would be exceeded. */
  hold(bytes: number): void {
    if (this.#isClosed) throw new Error('the answer was abandoned');
    if (!this.#take(bytes)) {
      this.#refusal = busy();
      throw this.#refusal;
    }
    this.#bytes += bytes;
  }

  /** The error that was thrown when the limit was exceeded. */
  get refusal(): ApiError | undefined {
    return this.#refusal;
  }

  /** The reader has taken this many bytes. */
  release(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes -= bytes;
    this.#take(-bytes);
  }

  /** Final: bytes that arrive later for this answer are not held. */
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

/** One budget for the isolate. */
export const answerBudget = new AnswerBudget();
