/** How long a terminal is read at once: a flood for a while, an echo not twice, and little and seldom beside one who types. */

/**
 * A read of less than this is an echo, a prompt or the like, and all there was. Asking a terminal for more before it has any
 * takes a tenth of a millisecond: the kernel looks through its own queues first, and the refusal is an exception.
 */
export const ECHO_MAX_BYTES = 128;

/**
 * What one read of a terminal that has more yields at least: Linux gives a page, or a little less so as not to cut a line's
 * end. Less means that it has been read empty.
 */
export const FULL_READ_BYTES = 4096 - 64;

/**
 * How long one terminal is read at once. The kernel fills it while it is read, so that a full buffer takes as long as the
 * program takes to print it: a millisecond, or ten, and a Ctrl-C waits that long. After half a millisecond a frame is no
 * fuller for more.
 */
export const AT_ONCE_MS = 0.5;

/** … and while somebody types into another terminal, whose key and whose echo each wait for that. */
export const BESIDE_TYPING_MS = 0.2;

/**
 * How long a flood is not read then. Program, agent, relay and page share the cores of a small machine, and all of them are busy
 * with a flood: a key waits in each. Some megabytes a second are left of it, which is more than anybody reads.
 */
export const REST_MS = 1;

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
    return now + (this.#isBeside(terminal, now) ? BESIDE_TYPING_MS : AT_ONCE_MS);
  }

  /** How long `terminal` is left alone after it has yielded `count` bytes in all. */
  restMs(terminal: object, count: number, now: number): number {
    return count >= FULL_READ_BYTES && this.#isBeside(terminal, now) ? REST_MS : 0;
  }

  #isBeside(terminal: object, now: number): boolean {
    const isElsewhere = this.#typedInto !== undefined && this.#typedInto !== terminal;
    return isElsewhere && now - this.#typedAt < TYPING_FOR_MS;
  }
}
