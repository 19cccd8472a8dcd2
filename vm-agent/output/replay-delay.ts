/**
 * Decides when a replay is sent although there is no room for it. A client that attached again before it acknowledged
 * the previous replay never will, and must not wait forever. Rule OU20.
 *
 *           no room                    sent all the same: twice the delay
 *   none ────────────► refused ◄──────────────────────────────┐
 *     ▲                   │└──────────────────────────────────┘
 *     └───────────────────┘
 *      the client has proven that something arrived
 */

/** A replay without room is sent anyway after this delay. The delay doubles each time … */
const FORCED_AFTER_MS = 1_000;

/** … up to this. The workspace's limit on bytes in flight still applies. */
const FORCED_MAX_MS = 32_000;

type State =
  | { readonly name: 'none' }
  | { readonly name: 'refused'; readonly delayMs: number; readonly until: number };

const NONE: State = { name: 'none' };

export class ReplayDelay {
  #state: State = NONE;

  /** There is no room for a replay; returns whether it is sent all the same. */
  isOver(now: number): boolean {
    const state = this.#state.name === 'none' ? this.#refuse(FORCED_AFTER_MS, now) : this.#state;
    return now >= state.until;
  }

  /** A replay was sent without room; the next one waits longer. */
  sent(now: number): void {
    if (this.#state.name === 'none') return;
    this.#refuse(Math.min(2 * this.#state.delayMs, FORCED_MAX_MS), now);
  }

  /** The client reads: the next replay without room waits no longer than the first one. */
  reset(): void {
    this.#enter(NONE);
  }

  #refuse(delayMs: number, now: number): { readonly until: number } {
    return this.#enter({ name: 'refused', delayMs, until: now + delayMs });
  }

  #enter<T extends State>(next: T): T {
    this.#state = next;
    return next;
  }
}
