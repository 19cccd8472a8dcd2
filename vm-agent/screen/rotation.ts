/** Who is next, when everyone has a turn before anyone has two. */
export class Rotation<T> {
  readonly #waiting = new Set<T>();

  add(member: T): void {
    this.#waiting.add(member);
  }

  delete(member: T): void {
    this.#waiting.delete(member);
  }

  /** The first member that `isReady`; it goes to the back. */
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
