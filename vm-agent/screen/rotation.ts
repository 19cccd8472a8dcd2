/** Round-robin scheduling: every member has a turn before any member has two. */
export class Rotation<T> {
  readonly #waiting = new Set<T>();

  add(member: T): void {
    this.#waiting.add(member);
  }

  delete(member: T): void {
    this.#waiting.delete(member);
  }

  /** The first member that `isReady`; it moves to the back. */
  next(isReady: (member: T) => boolean): T | undefined {
    for (const member of this.#waiting) {
      if (!isReady(member)) continue;
      this.#waiting.delete(member);
      this.#waiting.add(member);
      return member;
    }
    return undefined;
  }
}
