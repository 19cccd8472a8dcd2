/** How much of a terminal is read at once: much from a flood, no more than an echo from an echo, little beside one who types. */

/**
 * A read of less than this is an echo, a prompt or the like, and all there was. Asking a terminal for more before it has any
 * takes a tenth of a millisecond: the kernel looks through its own queues first, and the refusal is an exception.
 */
export const ECHO_MAX_BYTES = 128;

/**
 * How long one terminal is read while somebody types into another, whose key and whose echo each wait for that. A full
 * buffer takes ten times as long, because the kernel fills a terminal while it is read; otherwise that is worth it.
 */
export const BESIDE_TYPING_MS = 0.1;

/** Who has typed a key a second ago is about to type another. */
export const TYPING_FOR_MS = 1_000;

/** The terminals of an agent, told apart by identity. */
export class Reading {
  #typedInto: object | undefined;
  #typedAt = 0;

  typed(terminal: object, now: number): void {
    this.#typedInto = terminal;
    this.#typedAt = now;
  }

  /** Until when `terminal` may be read after it has yielded `count` bytes at once. */
  until(terminal: object, count: number, now: number): number {
    if (count > 0 && count < ECHO_MAX_BYTES) return now;
    const isElsewhere = this.#typedInto !== undefined && this.#typedInto !== terminal;
    const isBeside = isElsewhere && now - this.#typedAt < TYPING_FOR_MS;
    return isBeside ? now + BESIDE_TYPING_MS : Number.POSITIVE_INFINITY;
  }
}
