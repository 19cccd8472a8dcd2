/**
 * Whether the workspace's object itself still knows this socket. Rule CN8.
 *
 * Heartbeats are answered by the platform, so that they wake nobody; a socket that was left over when its object was
 * reset can be answered like that for ever, while the object that took its place has never heard of it. Only a question
 * that the object answers tells the two apart, and it wakes the object: so it is asked once for each time of traffic,
 * a while after that has ended. A pair that goes on being idle asks nothing more.
 *
 *              ask                 anything but a pong
 *   unproven ───────► asked ────────────────────────────► proven
 *      ▲                └── nothing in time: given up         │
 *      └──────────────────────────────────────────────────────┘ traffic
 */

/** Long enough for the object to sleep between a person's bursts, short enough to find out while they still wait. */
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
   * Something other than a heartbeat was sent; whether anybody heard it is to be seen. A proof that is due already stays
   * due: whoever goes on typing at a screen that shows nothing must not put it off.
   */
  sent(now: number): void {
    if (this.#state.name === 'proven') this.#state = { name: 'unproven', since: now };
  }

  /** Something other than a heartbeat's answer came. An answer to the question is no new traffic. */
  received(now: number): void {
    this.#state = this.#state.name === 'asked' ? { name: 'proven' } : { name: 'unproven', since: now };
  }

  /** Looked at with every heartbeat: a question is given as long to be answered as it takes to the next one. */
  next(now: number): 'nothing' | 'ask' | 'give up' {
    if (this.#state.name === 'asked') return 'give up';
    if (this.#state.name === 'proven' || now - this.#state.since < this.#afterMs) return 'nothing';
    this.#state = { name: 'asked' };
    return 'ask';
  }
}
