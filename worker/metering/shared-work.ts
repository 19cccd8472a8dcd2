/**
 * Limits CPU-heavy work that all requests of an isolate share, such as searching and inflating. Work is done in slices,
 * and only so many slices run per second, so that most of the CPU time is left for everything else. A request takes a
 * slice, uses it up, and waits for the next one. Only numbers are shared, so no request waits for a timer of another.
 *
 * Work is counted in units and not in time, because a Worker's clock stands still while it computes.
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
   * Returns 0 when a slice was taken, otherwise how long to wait before asking again. However many requests ask at
   * once, and however late they are, overdue slices do not run back to back.
   */
  take(now: number): number {
    this.#bucket.take(0, now);
    if (this.#bucket.isEmpty) return this.#bucket.retryAfterMs;
    this.#bucket.take(this.slice, now);
    return 0;
  }

  /** Gives back the unused rest of a slice; `left` is negative when more was done. */
  giveBack(left: number, now: number): void {
    this.#bucket.take(-left, now);
  }
}

/** One request's share of the work. */
export class WorkShare {
  readonly #work: SharedWork;
  readonly #clock: Clock;
  #left = 0;

  constructor(work: SharedWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Call before the first piece of work. */
  begin(): Promise<void> {
    return this.spent(0);
  }

  /** Call after a piece of work. Waits when the slice is used up. */
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

  /** No work is left for now: gives back the rest of the slice. */
  rest(): void {
    this.#work.giveBack(this.#left, this.#clock.now());
    this.#left = 0;
  }
}
