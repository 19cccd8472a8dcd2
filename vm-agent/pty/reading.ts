/**
 * Decides how long to read one PTY: longer for bulk output, once for an echo, briefly while the user types elsewhere.
 */

/**
 * A shorter read is an echo, a prompt or the like, and all there was. Reading an empty terminal again takes a tenth of
 * a millisecond: the kernel checks its own queues first, and the failure is an exception.
 */
export const ECHO_MAX_BYTES = 128;

/**
 * A read returns at least this much if the terminal has more: Linux returns a page, or a little less so as not to split
 * a line ending. A shorter read means that the terminal is empty.
 */
export const FULL_READ_BYTES = 4096 - 64;

/**
 * How long one terminal is read at once. The program goes on printing meanwhile, so filling a whole buffer takes as
 * long as the program takes to print it: 1 to 10 ms, and a Ctrl-C waits that long. Reading for more than half a
 * millisecond does not make frames fuller.
 */
export const AT_ONCE_MS = 0.5;

/** … and while somebody types into another terminal, because both the key and its echo wait for this read. */
export const BESIDE_TYPING_MS = 0.2;

/**
 * How long bulk output then stays unread. Program, agent, relay and page share the cores of a small machine, bulk
 * output keeps all of them busy, and a key waits in each. A few megabytes per second remain, which is more than anybody
 * reads.
 */
export const REST_MS = 1;

/** Somebody who typed within the last second is likely to type again. */
export const TYPING_FOR_MS = 1_000;

/** Tracks which terminal was typed into; terminals are compared by identity. */
export class Reading {
  #typedInto: object | undefined;
  #typedAt = 0;

  typed(terminal: object, now: number): void {
    this.#typedInto = terminal;
    this.#typedAt = now;
  }

  /** Until when `terminal` may be read after its first read returned `count` bytes. */
  until(terminal: object, count: number, now: number): number {
    if (count > 0 && count < ECHO_MAX_BYTES) return now;
    return now + (this.#isBeside(terminal, now) ? BESIDE_TYPING_MS : AT_ONCE_MS);
  }

  /** How long `terminal` stays unread after `count` bytes in total. */
  restMs(terminal: object, count: number, now: number): number {
    return count >= FULL_READ_BYTES && this.#isBeside(terminal, now) ? REST_MS : 0;
  }

  #isBeside(terminal: object, now: number): boolean {
    const isElsewhere = this.#typedInto !== undefined && this.#typedInto !== terminal;
    return isElsewhere && now - this.#typedAt < TYPING_FOR_MS;
  }
}
