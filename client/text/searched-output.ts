/**
 * The Screen that a search uses: it reads the output instead of showing it. Output that arrives while a piece is being
 * searched waits unacknowledged, so at most one window accumulates.
 *
 * A search may begin inside an escape sequence, whose rest is not text. So output is requested from a little earlier;
 * these bytes, the lead, are parsed but not searched. If they are no longer available, LeadGone tells the caller to
 * search without a lead.
 */

import { ProtocolError } from '../../protocol/errors.ts';
import { FOLLOW_QUEUE_MAX_BYTES, SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';
import type { Deferred } from '../requests/deferred.ts';
import type { Beginning, Screen } from '../screen.ts';
import type { TextSearch } from './text-search.ts';

export class LeadGone extends Error {}

type Outcome = Pick<Deferred<string>, 'resolve' | 'reject'>;

/** A search, and what it uses up. */
export interface SearchWork {
  readonly search: TextSearch;
  /** Runs the pieces of a search, with pauses where others need the processor. Ends early when a match was found. */
  readonly run: (pieces: Iterable<void>) => Promise<void>;
  /** A screen of this many bytes, which the client's `holds` or `inflate` has counted, is no longer held. */
  readonly release: (bytes: number) => void;
}

export interface SearchStart {
  /** Bytes before the searched output, to parse. */
  readonly leadBytes?: number;
  /** Whether what was printed before the session is attached does not count. */
  readonly isFromNow?: boolean;
}

export class SearchedOutput implements Screen {
  readonly #given: SearchWork;
  readonly #outcome: Outcome;
  #work: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  /** Bytes to parse before the searched output begins. */
  #leadBytes: number;
  /** Whether the next write is a whole screen. */
  #isScreen = false;
  /** Whether that screen is parsed but not searched. */
  #isPicture = false;
  /** Bytes that were printed before the search began: a screen may be behind, and they follow it. */
  #oldBytes = 0;
  readonly #isFromNow: boolean;
  #isFirst = true;
  #isOver = false;

  constructor(given: SearchWork, outcome: Outcome, { leadBytes = 0, isFromNow = false }: SearchStart = {}) {
    this.#given = given;
    this.#outcome = outcome;
    this.#leadBytes = leadBytes;
    this.#isFromNow = isFromNow;
  }

  replayBegins(from: number, to: number): void {
    if (this.#isFromNow && this.#isFirst) this.#oldBytes = to - from;
  }

  /** A screen at the beginning shows old output and is not searched. A screen that replaces lost output is searched. */
  reset(beginning?: Beginning): void {
    this.#isScreen = beginning?.kind === 'snapshot';
    if (this.#leadBytes > 0) return this.#giveUp();
    this.afterwards(() => this.#given.search.restart());
    this.#isPicture = beginning?.kind === 'snapshot' && this.#isFirst && beginning.lost === 0;
    if (!this.#isFirst) this.#oldBytes = 0;
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const { search, run, release } = this.#given;
    const heldBytes = this.#isScreen ? bytes.length : 0;
    if (this.#isOver) {
      this.#isScreen = false;
      release(heldBytes);
      return shown();
    }
    // An unsearched screen is still parsed, because it may end inside a sequence.
    const unsearched = this.#isPicture
      ? bytes.length
      : Math.min(this.#leadBytes + this.#oldBytes, bytes.length);
    this.#leadBytes = Math.max(0, this.#leadBytes - bytes.length);
    if (!this.#isPicture) this.#oldBytes = Math.max(0, this.#oldBytes - bytes.length);
    this.#isScreen = false;
    this.#isPicture = false;
    this.#isFirst = false;
    this.#waitingBytes += bytes.length;
    // Lost output is replaced by a screen, so one may wait here too.
    if (this.#waitingBytes > FOLLOW_QUEUE_MAX_BYTES + SNAPSHOT_INFLATED_MAX_BYTES)
      return this.#outcome.reject(new ProtocolError('more output than was asked for'));
    this.afterwards(async () => {
      if (unsearched > 0) await run(search.skipPieces(bytes.subarray(0, unsearched)));
      if (unsearched < bytes.length) await run(search.outputPieces(bytes.subarray(unsearched)));
      this.#waitingBytes -= bytes.length;
      release(heldBytes);
      if (search.found !== undefined) this.#outcome.resolve(search.found);
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
      this.#given.search.restart();
      this.#outcome.reject(new LeadGone());
    });
  }

  /** Runs `act` once everything received before has been searched. */
  afterwards(act: () => void | Promise<void>): void {
    this.#work = this.#work.then(act).catch((error) => this.#outcome.reject(error));
  }
}
