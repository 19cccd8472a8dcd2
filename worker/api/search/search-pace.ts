/**
 * Limits the CPU time of searches. All searches of an isolate share slices of work, workspaces in equal parts, and each
 * search has a total budget.
 */

import type { TextSearch } from '../../../client/text/text-search.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { SEARCH_SLICE_STEPS, SEARCH_STEPS_MAX, SEARCH_STEPS_PER_S } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';
import { SharedWork, WorkShare } from '../../metering/shared-work.ts';

export const searching = () => new SharedWork({ slice: SEARCH_SLICE_STEPS, perSecond: SEARCH_STEPS_PER_S });

const searchingOfIsolate = searching();

export class SearchPace {
  readonly #search: TextSearch;
  readonly #share: WorkShare;
  #counted = 0;

  /** `owner`: those who share a part of the work. */
  constructor(search: TextSearch, owner: string, clock: Clock, work = searchingOfIsolate) {
    this.#search = search;
    this.#share = new WorkShare(work, owner, clock);
  }

  /** The request was abandoned, and nothing of it runs any more. */
  abandon(): void {
    this.#share.abandon();
  }

  /** Runs the pieces one after the other. Ends early when a match was found. */
  async run(pieces: Iterable<void>): Promise<void> {
    await this.#share.begin();
    try {
      for (const _ of pieces) {
        const { found, steps } = this.#search;
        if (found !== undefined) return;
        if (steps > SEARCH_STEPS_MAX) throw tooCostly();
        const cost = steps - this.#counted;
        this.#counted = steps;
        await this.#share.spent(cost);
      }
    } finally {
      this.#share.rest();
    }
  }
}

const tooCostly = () =>
  new ApiError(
    429,
    'search_too_costly',
    'This search has used up the computing time of one request. Wait for a text or a simpler pattern, or ask again with since=….',
  );
