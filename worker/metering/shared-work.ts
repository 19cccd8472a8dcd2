/**
 * Limits CPU-heavy work that all requests of an isolate share, such as searching and inflating. Work is done in slices,
 * and only so many slices run per second, so that most of the CPU time is left for everything else. A request takes a
 * slice, uses it up, and waits in a line for the next one. Only numbers are shared, so no request waits for a timer of
 * another, and one that is abandoned while it waits holds up nobody.
 *
 * Work is counted in units and not in time, because a Worker's clock stands still while it computes.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Bucket } from './bucket.ts';

interface WorkRate {
  readonly slice: number;
  readonly perSecond: number;
}

/** A place in the line of those who wait for a slice. */
interface Place {
  /** When its slice is expected, unless others need less time than they took. */
  readonly dueAt: number;
  /** `#savedMs` when the place was taken. */
  readonly savedMs: number;
}

export class SharedWork {
  readonly slice: number;
  readonly #bucket: Bucket;
  readonly #sliceMs: number;
  /** When the next one who joins the line can expect a slice. In the past when nobody waits. */
  #lineEndsAt = 0;
  /** The time by which all places have moved forward so far, because slices were not used up. */
  #savedMs = 0;
  #now = 0;

  constructor({ slice, perSecond }: WorkRate) {
    this.slice = slice;
    this.#sliceMs = (slice / perSecond) * 1000;
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
    this.#moveLine((left / this.slice) * this.#sliceMs);
  }

  /** How long somebody who joins the line now would wait. */
  lineMs(now: number): number {
    this.#follow(now);
    return Math.max(0, this.#lineEndsAt - now);
  }

  /**
   * Takes the last place in the line. A waiting request asks again when its time has come, and not whenever a slice is
   * free: if all asked then, each slice would cost a wake-up of everybody who waits.
   */
  join(now: number): Place {
    this.#bucket.take(0, now);
    const dueAt = now + Math.max(this.lineMs(now), this.#bucket.retryAfterMs);
    this.#lineEndsAt = dueAt + this.#sliceMs;
    return { dueAt, savedMs: this.#savedMs };
  }

  /**
   * How long to sleep before looking at the place again; 0 when its time has come. Of a long wait a quarter is slept at
   * a time, because those in front may need less time than they took.
   */
  sleepMs({ dueAt, savedMs }: Place, now: number): number {
    this.#follow(now);
    const leftMs = Math.max(0, dueAt - (this.#savedMs - savedMs) - now);
    // The clock shows whole milliseconds; a shorter sleep would only look again at the same time.
    return Math.ceil(leftMs > 2 * this.#sliceMs ? leftMs / 4 : leftMs);
  }

  /** A wall clock may go back. Then everybody's time has come that much earlier. */
  #follow(now: number): void {
    if (now < this.#now) this.#moveLine(this.#now - now);
    this.#now = now;
  }

  #moveLine(forwardMs: number): void {
    this.#savedMs += forwardMs;
    this.#lineEndsAt -= forwardMs;
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
    await this.#slice();
    this.#left = this.#work.slice;
  }

  /** Resolves when a slice was taken. Whoever comes too late for its slice joins the line again. */
  async #slice(): Promise<void> {
    const work = this.#work;
    const isFirst = work.lineMs(this.#clock.now()) === 0;
    if (isFirst && work.take(this.#clock.now()) === 0) return;
    do {
      const place = work.join(this.#clock.now());
      for (;;) {
        const sleepMs = work.sleepMs(place, this.#clock.now());
        if (sleepMs === 0) break;
        await new Promise<void>((resolve) => void this.#clock.after(sleepMs, resolve));
      }
    } while (work.take(this.#clock.now()) > 0);
  }

  /** No work is left for now: gives back the rest of the slice. */
  rest(): void {
    this.#work.giveBack(this.#left, this.#clock.now());
    this.#left = 0;
  }
}
