/**
 * How much a session had printed at some times in the past: a bounded number of points, dense in the recent past. A
 * point is the length of the output at a time; between two points nothing is known, and the earlier one counts.
 */

interface Point {
  readonly at: number;
  readonly offset: number;
}

/** Points are at least this far apart, so that a session that prints all day does not have one per line. */
export const POINT_EVERY_MS = 10_000;

/** In a day of steady output, they are then apart by less than a tenth of their age. */
export const POINTS_MAX = 128;

export class OutputRecord {
  /** Oldest first. */
  readonly #points: Point[];
  #last: Point;

  /** What was printed before is not known. */
  constructor(now: number, offset: number) {
    this.#last = { at: now, offset };
    this.#points = [this.#last];
  }

  get points(): number {
    return this.#points.length;
  }

  /** Called for every read of the terminal: the output is `offset` bytes long after it. */
  printed(now: number, offset: number): void {
    const newest = this.#points.at(-1) as Point;
    // The last state before a pause, or before this read.
    if (now - newest.at >= POINT_EVERY_MS && this.#last.at > newest.at) {
      this.#points.push(this.#last);
      if (this.#points.length > POINTS_MAX) this.#thin(now);
    }
    this.#last = { at: now, offset };
  }

  /** Bytes printed since `time`; as far as is known. */
  printedSince(time: number): number {
    if (this.#last.at < time) return 0;
    const before = this.#points.findLast(({ at }) => at <= time) ?? (this.#points[0] as Point);
    return this.#last.offset - before.offset;
  }

  /** Drops the point that is missed least: whose neighbours are closest, compared with its age. */
  #thin(now: number): void {
    const points = this.#points;
    const missed = (i: number): number => {
      const [before, point, after] = points.slice(i - 1, i + 2) as [Point, Point, Point];
      return (after.at - before.at) / (now - point.at + 1);
    };
    let least = 1;
    for (let i = 2; i + 1 < points.length; i++) if (missed(i) < missed(least)) least = i;
    points.splice(least, 1);
  }
}
