/**
 * Whether a session's program must wait for its viewers. Pure arithmetic on offsets. Rule OU5.
 *
 * The pace is the fastest viewer's: one slow page must not hold up the others, and nobody watching must not
 * hold up the program at all.
 */
export class Flow {
  readonly #windowBytes: number;
  /** Per viewer, the offset below which it has shown everything. */
  readonly #acknowledged = new Map<number, number>();

  constructor(windowBytes: number) {
    this.#windowBytes = windowBytes;
  }

  attach(channel: number, offset: number): void {
    this.#acknowledged.set(channel, offset);
  }

  detach(channel: number): void {
    this.#acknowledged.delete(channel);
  }

  /** Late or repeated acknowledgements change nothing, and nobody can acknowledge what was not printed. */
  acknowledge(channel: number, offset: number, end: number): void {
    const before = this.#acknowledged.get(channel);
    if (before !== undefined && offset > before && offset <= end) this.#acknowledged.set(channel, offset);
  }

  /** With output printed up to `end`: is even the fastest viewer a whole window behind? */
  isBlocked(end: number): boolean {
    if (this.#acknowledged.size === 0) return false;
    return end - Math.max(...this.#acknowledged.values()) >= this.#windowBytes;
  }

  /** Whether anybody has yet to acknowledge something below `end`. */
  isOwed(end: number): boolean {
    return Math.min(...this.#acknowledged.values()) < end;
  }
}
