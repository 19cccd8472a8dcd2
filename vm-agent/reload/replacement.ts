/** Judges from the agent processes of a keeper, seen again and again, whether a new one has taken over. Pure. */

export type ReloadOutcome = 'replaced' | 'failed';

export class Replacement {
  readonly #before: readonly number[];
  #hasSeenNew = false;

  /** `before`: the agent processes at the time of the request. */
  constructor(before: readonly number[]) {
    this.#before = before;
  }

  /** Null while neither is sure. */
  look(agents: readonly number[]): ReloadOutcome | null {
    const old = agents.filter((pid) => this.#before.includes(pid));
    const hasNew = agents.length > old.length;
    // The new one boots beside the old one, which leaves only then.
    if (hasNew && old.length === 0) return 'replaced';
    if (this.#hasSeenNew && !hasNew && old.length > 0) return 'failed';
    this.#hasSeenNew ||= hasNew;
    return null;
  }
}
