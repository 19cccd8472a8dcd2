/**
 * The Screen that a search uses: it reads the output instead of showing it. Output that arrives while a piece is being
 * searched waits unacknowledged, so at most one window accumulates.
 *
 * A search may begin inside an escape sequence, whose rest is not text. So output is requested from a little earlier;
 * these bytes, the lead, are parsed but not searched. If they are no longer available, LeadGone tells the caller to
 * search without a lead.
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
  /** Bytes to parse before the searched output begins. */
  readonly leadBytes: number;
}

export class SearchedOutput implements Screen {
  readonly #parts: SearchParts;
  #work: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #leadBytes: number;
  /** Whether the next write is a whole screen. */
  #isScreen = false;
  /** Whether that screen is parsed but not searched. */
  #isPicture = false;
  #isFirst = true;
  #isOver = false;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#leadBytes = parts.leadBytes;
  }

  /** A screen at the beginning shows old output and is not searched. A screen that replaces lost output is searched. */
  reset(beginning?: Beginning): void {
    if (this.#leadBytes > 0) return this.#giveUp();
    this.afterwards(() => this.#parts.search.restart());
    this.#isScreen = beginning?.kind === 'snapshot';
    this.#isPicture = beginning?.kind === 'snapshot' && this.#isFirst && beginning.lost === 0;
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (this.#isOver) return;
    const { search, pace, account, outcome } = this.#parts;
    // An unsearched screen is still parsed, because it may end inside a sequence.
    const unsearched = this.#isPicture ? bytes.length : Math.min(this.#leadBytes, bytes.length);
    const heldBytes = this.#isScreen ? bytes.length : 0;
    this.#leadBytes = Math.max(0, this.#leadBytes - bytes.length);
    this.#isScreen = false;
    this.#isPicture = false;
    this.#isFirst = false;
    this.#waitingBytes += bytes.length;
    // Lost output is replaced by a screen, so one may wait here too.
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

  /** The replay is complete. If the requested offset lies in the future, no lead comes before it. */
  caughtUp(): void {
    this.#leadBytes = 0;
  }

  /** Stops reading for good; the caller starts another search. */
  #giveUp(): void {
    this.#isOver = true;
    this.afterwards(() => {
      this.#parts.search.restart();
      this.#parts.outcome.reject(new LeadGone());
    });
  }

  /** Runs `act` once everything received before has been searched. */
  afterwards(act: () => void | Promise<void>): void {
    this.#work = this.#work.then(act).catch((error) => this.#parts.outcome.reject(error));
  }
}
