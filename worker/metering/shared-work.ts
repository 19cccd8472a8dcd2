/**
 * Work that all requests of an isolate share, such as searching and inflating: done in slices, and only so many of them
 * in a second, so that most of the time is left to everything else. Whoever works takes a slice, does it, and waits for
 * the next one when it is used up. Only numbers are shared: no request waits for a timer of another.
 *
 * Counted in work and not in time, because a Worker's clock stands still while it computes.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Bucket } from './bucket.ts';

interface WorkRate {
  readonly slice: number;
  readonly perSecond: number;
}

export class SharedWork {
  readonly slice: number;
  readonly #bucket: Bucket;

  constructor({ slice, perSecond }: WorkRate) {
    this.slice = slice;
    this.#bucket = new Bucket(0, { capacity: slice, refillPerS: perSecond });
  }

  /**
   * 0 when a slice was taken; otherwise how long to wait before asking again. However many ask at once, and however late
   * they are, slices that are overdue do not run one after the other.
   */
  take(now: number): number {
    this.#bucket.take(0, now);
    if (this.#bucket.isEmpty) return this.#bucket.retryAfterMs;
    this.#bucket.take(this.slice, now);
    return 0;
  }

  /** Of the slice that was taken this much is left; less than nothing when more was done. */
  giveBack(left: number, now: number): void {
    this.#bucket.take(-left, now);
  }
}

/** One request's part of it. */
export class WorkShare {
  readonly #work: SharedWork;
  readonly #clock: Clock;
  #left = 0;

  constructor(work: SharedWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Before the first piece of work. */
  begin(): Promise<void> {
    return this.spent(0);
  }

  /** A piece was done. Waits when the slice is used up. */
  async spent(cost: number): Promise<void> {
    this.#left -= cost;
    if (this.#left > 0) return;
    this.rest();
    for (;;) {
      const waitMs = this.#work.take(this.#clock.now());
      if (waitMs === 0) break;
      await new Promise<void>((resolve) => void this.#clock.after(waitMs, resolve));
    }
    this.#left = this.#work.slice;
  }

  /** Nothing is to be done for now. */
  rest(): void {
    this.#work.giveBack(this.#left, this.#clock.now());
    this.#left = 0;
  }
}
