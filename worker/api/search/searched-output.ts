/**
 * Output as a search reads it, instead of showing it. What comes while a piece is being read waits, unacknowledged, so
 * that no more comes than a window has room for.
 *
 * A search may begin inside a sequence, whose rest is not text. So the output is asked for from a little before: those
 * bytes, the lead, are parsed and not searched. When they are gone, LeadGone says that the search has to do without.
 */

import type { Beginning, Screen } from '../../../client/screen.ts';
import { FOLLOW_QUEUE_MAX_BYTES, SNAPSHOT_INFLATED_MAX_BYTES } from '../../../protocol/limits.ts';
import type { AnswerAccount } from '../link/answer-budget.ts';
import { heedless } from '../link/follow.ts';
import type { SearchPace } from './search-pace.ts';
import type { TextSearch } from './text-search.ts';

export class LeadGone extends Error {}

type Outcome = Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>;

interface SearchParts {
  readonly search: TextSearch;
  readonly pace: Pick<SearchPace, 'run'>;
  readonly account: Pick<AnswerAccount, 'release'>;
  readonly outcome: Outcome;
  /** Bytes before those that are searched. */
  readonly leadBytes: number;
}

export class SearchedOutput implements Screen {
  readonly #parts: SearchParts;
  #work: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #leadBytes: number;
  /** What is written next is a screen … */
  #isScreen = false;
  /** … and not looked at. */
  #isPicture = false;
  #isFirst = true;
  #isOver = false;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#leadBytes = parts.leadBytes;
  }

  /** A screen at the beginning is not what comes from now on; one that stands for lost output is looked at. */
  reset(beginning?: Beginning): void {
    if (this.#leadBytes > 0) return this.#giveUp();
    this.afterwards(() => this.#parts.search.restart());
    this.#isScreen = beginning?.kind === 'snapshot';
    this.#isPicture = beginning?.kind === 'snapshot' && this.#isFirst && beginning.lost === 0;
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (this.#isOver) return;
    const { search, pace, account, outcome } = this.#parts;
    // A picture is parsed all the same: it may end inside a sequence.
    const unsearched = this.#isPicture ? bytes.length : Math.min(this.#leadBytes, bytes.length);
    const heldBytes = this.#isScreen ? bytes.length : 0;
    this.#leadBytes = Math.max(0, this.#leadBytes - bytes.length);
    this.#isScreen = false;
    this.#isPicture = false;
    this.#isFirst = false;
    this.#waitingBytes += bytes.length;
    // What is lost is made good by a screen.
    if (this.#waitingBytes > FOLLOW_QUEUE_MAX_BYTES + SNAPSHOT_INFLATED_MAX_BYTES)
      return outcome.reject(heedless());
    this.afterwards(async () => {
      if (unsearched > 0) await pace.run(search.skipPieces(bytes.subarray(0, unsearched)));
      if (unsearched < bytes.length) await pace.run(search.outputPieces(bytes.subarray(unsearched)));
      this.#waitingBytes -= bytes.length;
      account.release(heldBytes);
      if (search.found !== undefined) outcome.resolve(search.found);
      shown();
    });
  }

  resize(): void {}

  /** All that was printed before is in: of an offset that lies ahead, there is no more before it. */
  caughtUp(): void {
    this.#leadBytes = 0;
  }

  /** Nothing of this is read any more: whoever searches begins again. */
  #giveUp(): void {
    this.#isOver = true;
    this.afterwards(() => {
      this.#parts.search.restart();
      this.#parts.outcome.reject(new LeadGone());
    });
  }

  /** Once everything before has been read. */
  afterwards(act: () => void | Promise<void>): void {
    this.#work = this.#work.then(act).catch((error) => this.#parts.outcome.reject(error));
  }
}
