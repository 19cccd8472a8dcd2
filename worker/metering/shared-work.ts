/**
 * Limits CPU-heavy work that all requests of an isolate share, such as searching and inflating. Work is done in slices,
 * and only so many slices run per second, so that most of the CPU time is left for everything else. A request takes a
 * slice, uses it up, and waits in a line for the next one.
 *
 * Every owner, such as the viewers of a workspace, has a line of its own, and the lines that are not empty get equal
 * parts of the rate: many requests of one owner delay nobody else. Only numbers are shared, so no request waits for a
 * timer of another. A request that is abandoned leaves its line (`leave`); if that goes unnoticed, it holds up only its
 * own line, for the time of one slice.
 *
 * Work is counted in units and not in time, because a Worker's clock stands still while it computes.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Bucket } from './bucket.ts';

interface WorkRate {
  readonly slice: number;
  readonly perSecond: number;
}

/** The requests of one owner, in units of work since the line was last empty. */
interface Line {
  reserved: number;
  /** What of this is done, or has passed unused. */
  passed: number;
}

/** A place in a line: its slice comes when all but one of the slices that were reserved before it have passed. */
interface Place {
  readonly line: Line;
  readonly at: number;
}

export class SharedWork {
  readonly slice: number;
  readonly #perSecond: number;
  readonly #sliceMs: number;
  readonly #bucket: Bucket;
  /** Lines that are not empty, by owner. */
  readonly #lines = new Map<string, Line>();
  #at = 0;

  constructor({ slice, perSecond }: WorkRate) {
    this.slice = slice;
    this.#perSecond = perSecond;
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

  /** How long somebody who joins this line now would wait. */
  lineMs(owner: string, now: number): number {
    this.#pass(now);
    const { reserved, passed } = this.#lines.get(owner) ?? { reserved: 0, passed: 0 };
    return ((reserved - passed) / this.#share) * 1000;
  }

  /**
   * Takes the last place in the owner's line. A waiting request asks again when its time has come, and not whenever a
   * slice is free: if all asked then, each slice would cost a wake-up of everybody who waits.
   */
  join(owner: string, now: number): Place {
    this.#pass(now);
    const line = this.#lines.get(owner) ?? { reserved: 0, passed: 0 };
    this.#lines.set(owner, line);
    const place = { line, at: line.reserved };
    line.reserved += this.slice;
    return place;
  }

  /**
   * How long to sleep before looking at the place again; 0 when its time has come. Of a long wait a quarter is slept at
   * a time, because those in front may need less time than they took.
   */
  sleepMs({ line, at }: Place, now: number): number {
    this.#pass(now);
    const leftMs = (Math.max(0, at - this.slice - line.passed) / this.#share) * 1000;
    // The clock shows whole milliseconds; a shorter sleep would only look again at the same time.
    return Math.ceil(leftMs > 2 * this.#sliceMs ? leftMs / 4 : leftMs);
  }

  /** The line of this place moves forward by the unused rest of its slice; `left` is negative when more was done. */
  leave({ line }: Place, left: number): void {
    line.passed += left;
  }

  /** Gives back the unused rest of a slice that was taken. */
  giveBack(left: number, now: number): void {
    this.#bucket.take(-left, now);
  }

  get #share(): number {
    return this.#perSecond / Math.max(1, this.#lines.size);
  }

  /** If the wall clock went back, nothing has passed. */
  #pass(now: number): void {
    const gone = (this.#share * Math.max(0, now - this.#at)) / 1000;
    this.#at = now;
    for (const [owner, line] of this.#lines) {
      line.passed += gone;
      if (line.passed < line.reserved) continue;
      // For good: a request that was late and did more than its slice must not hold up those behind it.
      line.passed = Number.POSITIVE_INFINITY;
      this.#lines.delete(owner);
    }
  }
}

/** One request's share of the work. */
export class WorkShare {
  readonly #work: SharedWork;
  readonly #owner: string;
  readonly #clock: Clock;
  #place: Place | undefined;
  /** What is left of the slice; 0 without one. */
  #left = 0;

  constructor(work: SharedWork, owner: string, clock: Clock) {
    this.#work = work;
    this.#owner = owner;
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
    const place = this.#work.join(this.#owner, this.#clock.now());
    this.#place = place;
    for (;;) {
      const sleepMs = this.#work.sleepMs(place, this.#clock.now()) || this.#work.take(this.#clock.now());
      if (sleepMs === 0) break;
      await new Promise<void>((resolve) => void this.#clock.after(sleepMs, resolve));
    }
    this.#left = this.#work.slice;
  }

  /** No work is left for now: gives back the rest of the slice. */
  rest(): void {
    if (this.#place === undefined) return;
    this.#work.giveBack(this.#left, this.#clock.now());
    this.#work.leave(this.#place, this.#left);
    this.#place = undefined;
    this.#left = 0;
  }

  /** The request was abandoned, perhaps while it waits for a slice, and does no more. */
  abandon(): void {
    if (this.#left !== 0 || this.#place === undefined) return this.rest();
    this.#work.leave(this.#place, this.#work.slice);
    this.#place = undefined;
  }
}
