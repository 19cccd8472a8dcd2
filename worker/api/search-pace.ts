/**
 * Keeps searches from taking the relay from everybody else. A search works in slices and lets others have their turn
 * between them; all searches of an isolate together use about half of its time; and each has a budget, after which it
 * ends. Counted in steps: a Worker's clock stands still while it computes.
 */
import type { Clock } from '../../protocol/clock.ts';
import { SEARCH_PAUSE_MS, SEARCH_SLICE_STEPS, SEARCH_STEPS_MAX } from '../../protocol/limits.ts';
import { ApiError } from './api-error.ts';
import type { TextSearch } from './text-search.ts';

/** When the next slice of any search of this isolate may begin. Numbers only: no request waits for another's timer. */
export class SearchTurns {
  #nextAt = 0;

  /** How long to wait for a turn that is taken now. */
  take(now: number): number {
    const at = Math.max(now, this.#nextAt) + SEARCH_PAUSE_MS;
    // A wall clock that went back must not keep searches waiting.
    this.#nextAt = at - now > LONGEST_WAIT_MS ? now + SEARCH_PAUSE_MS : at;
    return this.#nextAt - now;
  }
}

/** As many searches as a workspace can have clients, each waiting for its turn, and some more. */
const LONGEST_WAIT_MS = 30_000;

const turnsOfIsolate = new SearchTurns();

export class SearchPace {
  readonly #search: TextSearch;
  readonly #clock: Clock;
  readonly #turns: SearchTurns;
  /** What has to be spent until the next pause is due. */
  #pauseAt = SEARCH_SLICE_STEPS;

  constructor(search: TextSearch, clock: Clock, turns = turnsOfIsolate) {
    this.#search = search;
    this.#clock = clock;
    this.#turns = turns;
  }

  /** Does the pieces one after the other; ends early when something was found. */
  async run(pieces: Iterable<void>): Promise<void> {
    for (const _ of pieces) {
      if (this.#search.found !== undefined) return;
      if (this.#search.steps > SEARCH_STEPS_MAX) throw tooCostly();
      if (this.#search.steps >= this.#pauseAt) await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const ms = this.#turns.take(this.#clock.now());
    await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
    this.#pauseAt = this.#search.steps + SEARCH_SLICE_STEPS;
  }
}

const tooCostly = () =>
  new ApiError(
    429,
    'search_too_costly',
    'Looking for this has used up what one request may compute. Wait for a text or a simpler pattern, or ask again with since=….',
  );
