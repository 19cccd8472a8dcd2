/**
 * Checks whether the workspace's Durable Object still knows this socket. Rule CN8.
 *
 * The platform answers heartbeats without waking the object. A socket that outlived a reset of its object can be
 * answered like that for ever, although the new object does not know it. Only a request that the object itself answers
 * reveals this, but it wakes the object. So it is sent once after each period of traffic, a while after the period has
 * ended. An idle connection sends nothing more.
 *
 *              ask                 anything but a pong
 *   unproven ───────► asked ────────────────────────────► proven
 *      ▲                └── nothing in time: given up         │
 *      └──────────────────────────────────────────────────────┘ traffic
 */

/**
 * Long enough for the object to sleep between a person's bursts of typing, short enough to notice while they still
 * wait.
 */
export const PROVE_AFTER_MS = 60_000;

type State =
  | { readonly name: 'unproven'; readonly since: number }
  | { readonly name: 'asked' }
  | { readonly name: 'proven' };

export class LinkProof {
  readonly #afterMs: number;
  #state: State;

  constructor(now: number, afterMs = PROVE_AFTER_MS) {
    this.#afterMs = afterMs;
    this.#state = { name: 'unproven', since: now };
  }

  /**
   * Something other than a heartbeat was sent, and may not have been received. A check that is already due stays due: a
   * person who keeps typing at a frozen screen must not postpone it.
   */
  sent(now: number): void {
    if (this.#state.name === 'proven') this.#state = { name: 'unproven', since: now };
  }

  /** Something other than a pong was received. The answer to the check does not count as new traffic. */
  received(now: number): void {
    this.#state = this.#state.name === 'asked' ? { name: 'proven' } : { name: 'unproven', since: now };
  }

  /** Called with every heartbeat: the check must be answered before the next one. */
  next(now: number): 'nothing' | 'ask' | 'give up' {
    if (this.#state.name === 'asked') return 'give up';
    if (this.#state.name === 'proven' || now - this.#state.since < this.#afterMs) return 'nothing';
    this.#state = { name: 'asked' };
    return 'ask';
  }
}
