/**
 * Makes input exactly-once: how much of what each client instance typed was accepted, and how much the
 * program has taken. Rules IN1 to IN3.
 *
 * What one instance types into one session is a stream with offsets, like output. A resent frame overlaps
 * what was accepted and only its new part counts; a frame beyond it would leave a hole and is refused.
 */

/** Instances remembered per session; one that comes back after so many others says itself where it was. */
const INSTANCES_MAX = 1_000;

interface Entry {
  accepted: number;
  taken: number;
  /** Digest of all that this instance will ever type, if it said so. */
  once?: string;
}

export class InputLedger {
  /** In order of last use, so that the first is the one to forget. */
  readonly #entries = new Map<string, Entry>();

  /** An instance that says it has typed `offset` bytes before: one that was forgotten goes on from there. */
  meet(instance: string, offset: number): void {
    if (this.#entries.has(instance)) return;
    this.#entries.set(instance, { accepted: offset, taken: offset });
    this.#forgetOldest();
  }

  /** False when the instance has promised before to type something else. [IN8] */
  promise(instance: string, once: string): boolean {
    const entry = this.#entry(instance);
    entry.once ??= once;
    return entry.once === once;
  }

  /** The part of `bytes` that is new, or null when something before it is missing. [IN2] */
  accept(instance: string, offset: number, bytes: Uint8Array): Uint8Array | null {
    const entry = this.#entry(instance);
    if (offset > entry.accepted) return null;
    const fresh = bytes.subarray(Math.min(bytes.length, entry.accepted - offset));
    entry.accepted += fresh.length;
    return fresh;
  }

  /** The program has taken `count` more bytes; returns the offset to acknowledge. [IN3] */
  take(instance: string, count: number): number {
    const entry = this.#entry(instance);
    entry.taken += count;
    return entry.taken;
  }

  /** Up to where an instance's input has been taken. */
  taken(instance: string): number {
    return this.#entries.get(instance)?.taken ?? 0;
  }

  #entry(instance: string): Entry {
    const entry = this.#entries.get(instance) ?? { accepted: 0, taken: 0 };
    this.#entries.delete(instance);
    this.#entries.set(instance, entry);
    this.#forgetOldest();
    return entry;
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > INSTANCES_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }
}
