/**
 * Keeps searches from taking the relay from everybody else. A search works in slices and lets others have their turn
 * between them; all searches of an isolate together use about half of its time; and each has a budget, after which it
 * ends. Counted in steps: a Worker's clock stands still while it computes.
 */
import type { Clock } from '../../protocol/clock.ts';
import {
  SEARCH_FREE_STEPS,
  SEARCH_SLICE_STEPS,
  SEARCH_STEPS_MAX,
  SEARCH_TURN_MS,
} from '../../protocol/limits.ts';
import { ApiError } from './api-error.ts';
import type { TextSearch } from './text-search.ts';

/** Whose slice is next. A number only: no request waits for another's timer. */
export class SearchTurns {
  #freeAt = 0;

  /**
   * 0 when the turn is taken now; otherwise how long to wait before asking again. However many ask at once, and however
   * late they are, one of them gets a turn: slices that are overdue never run one after the other.
   */
  take(now: number): number {
    const waitMs = this.#freeAt - now;
    // A wall clock that went back must not keep searches waiting.
    if (waitMs > 0 && waitMs <= SEARCH_TURN_MS) return waitMs;
    this.#freeAt = now + SEARCH_TURN_MS;
    return 0;
  }
}

const turnsOfIsolate = new SearchTurns();

export class SearchPace {
  readonly #search: TextSearch;
  readonly #clock: Clock;
  readonly #turns: SearchTurns;
  /** At so many steps the next turn is needed. */
  #turnAt = SEARCH_FREE_STEPS;

  constructor(search: TextSearch, clock: Clock, turns = turnsOfIsolate) {
    this.#search = search;
    this.#clock = clock;
    this.#turns = turns;
  }

  /** Does the pieces one after the other; ends early when something was found. */
  async run(pieces: Iterable<void>): Promise<void> {
    // What is left of a slice does not wait for the next burst: then all searches would have some of it at once.
    this.#turnAt = Math.min(this.#turnAt, this.#search.steps + SEARCH_FREE_STEPS);
    for (const _ of pieces) {
      if (this.#search.found !== undefined) return;
      if (this.#search.steps > SEARCH_STEPS_MAX) throw tooCostly();
      if (this.#search.steps >= this.#turnAt) await this.#turn();
    }
  }

  async #turn(): Promise<void> {
    for (;;) {
      const waitMs = this.#turns.take(this.#clock.now());
      if (waitMs === 0) break;
      await new Promise<void>((resolve) => void this.#clock.after(waitMs, resolve));
    }
    this.#turnAt = this.#search.steps + SEARCH_SLICE_STEPS;
  }
}

const tooCostly = () =>
  new ApiError(
    429,
    'search_too_costly',
    'This search has used the computing time of one request. Wait for a text or a simpler pattern, or ask again with since=….',
  );
