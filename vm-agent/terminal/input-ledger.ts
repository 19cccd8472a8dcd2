/**
 * Makes input exactly-once. It records how much of each client instance's input was accepted, and how much the program
 * has taken. Rules IN1 to IN3, IN8, IN9.
 *
 * What one instance types into one session is a stream with offsets, like output. A resent frame overlaps accepted
 * bytes, and only its new part counts. A frame that starts after them would leave a hole and is refused.
 *
 * Instances with and without a promise are kept separately, so that the latter cannot evict the former. A promise
 * stands for a request that may be repeated; forgetting it would run a command twice.
 */
import type { Clock } from '../../protocol/clock.ts';
import {
  INPUT_INSTANCE_KEPT_MS,
  INPUT_INSTANCES_MAX,
  INPUT_PROMISE_KEPT_MS,
  INPUT_PROMISES_MAX,
} from '../../protocol/limits.ts';

/** What is remembered of one instance. */
export interface LedgerEntry {
  readonly instance: string;
  readonly accepted: number;
  readonly taken: number;
  readonly once?: string;
}

interface Entry {
  accepted: number;
  taken: number;
  /** Digest of everything this instance will ever type, if it promised that. */
  readonly once?: string;
  usedAt: number;
}

export class InputLedger {
  readonly #clock: Clock;
  readonly #promising = new Shelf(INPUT_PROMISES_MAX, INPUT_PROMISE_KEPT_MS);
  readonly #others = new Shelf(INPUT_INSTANCES_MAX, INPUT_INSTANCE_KEPT_MS);

  /** `earlier`: what another process remembered. */
  constructor(clock: Clock, earlier: readonly LedgerEntry[] = []) {
    this.#clock = clock;
    for (const { instance, ...entry } of earlier) {
      const shelf = entry.once === undefined ? this.#others : this.#promising;
      shelf.add(instance, { ...entry, usedAt: clock.now() });
    }
  }

  /** Everything that is remembered, for another process. Of each kind, the least recently used comes first. */
  entries(): LedgerEntry[] {
    return [...this.#promising.entries(), ...this.#others.entries()].map(([instance, entry]) => {
      const { accepted, taken, once } = entry;
      return { instance, accepted, taken, ...(once === undefined ? {} : { once }) };
    });
  }

  /** How many instances are remembered. */
  get size(): number {
    return this.#promising.size + this.#others.size;
  }

  /** The instance says it has typed `offset` bytes before; one that was forgotten continues from there. */
  meet(instance: string, offset: number): void {
    if (offset === 0 || this.#find(instance) !== undefined) return;
    this.#others.add(instance, { accepted: offset, taken: offset, usedAt: this.#clock.now() });
  }

  /** `broken`: the instance promised other input before. `full`: no room for another promise. [IN8] */
  promise(instance: string, once: string): 'kept' | 'broken' | 'full' {
    const known = this.#find(instance);
    if (known?.once !== undefined) return known.once === once ? 'kept' : 'broken';
    const { accepted, taken } = known ?? { accepted: 0, taken: 0 };
    const isAdded = this.#promising.add(instance, { accepted, taken, once, usedAt: this.#clock.now() });
    if (isAdded) this.#others.delete(instance);
    return isAdded ? 'kept' : 'full';
  }

  /** Returns the new part of `bytes`. `hole`: bytes before it are missing. `full`: no room for a new instance. [IN2] */
  accept(instance: string, offset: number, bytes: Uint8Array): Uint8Array | 'hole' | 'full' {
    const entry = this.#find(instance) ?? this.#newcomer(instance, offset);
    if (entry === undefined) return offset > 0 ? 'hole' : 'full';
    // An instance may claim any offset as its own. No frame can name one beyond this, and the relay would close the link.
    if (offset + bytes.length > Number.MAX_SAFE_INTEGER) return 'full';
    if (offset > entry.accepted) return 'hole';
    const fresh = bytes.subarray(Math.min(bytes.length, entry.accepted - offset));
    entry.accepted += fresh.length;
    return fresh;
  }

  /** The program took `count` more bytes. Returns the offset to acknowledge, or null for a forgotten instance. [IN3] */
  take(instance: string, count: number): number | null {
    const entry = this.#find(instance);
    if (entry === undefined) return null;
    entry.taken += count;
    return entry.taken;
  }

  /** The offset up to which an instance's input was accepted. */
  accepted(instance: string): number {
    return this.#find(instance)?.accepted ?? 0;
  }

  /** The offset up to which an instance's input was taken; undefined if the instance is unknown. */
  taken(instance: string): number | undefined {
    return this.#find(instance)?.taken;
  }

  #find(instance: string): Entry | undefined {
    const now = this.#clock.now();
    return this.#promising.use(instance, now) ?? this.#others.use(instance, now);
  }

  /** An unknown instance that does not start at offset 0 was forgotten, and is told so. */
  #newcomer(instance: string, offset: number): Entry | undefined {
    if (offset > 0) return undefined;
    const entry = { accepted: 0, taken: 0, usedAt: this.#clock.now() };
    return this.#others.add(instance, entry) ? entry : undefined;
  }
}

/** A bounded number of entries. When full, it evicts the least recently used one, unless that was used recently. */
class Shelf {
  readonly #max: number;
  readonly #keptMs: number;
  /** In order of last use: the first is evicted first. */
  readonly #entries = new Map<string, Entry>();

  constructor(max: number, keptMs: number) {
    this.#max = max;
    this.#keptMs = keptMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): IterableIterator<[string, Entry]> {
    return this.#entries.entries();
  }

  use(instance: string, now: number): Entry | undefined {
    const entry = this.#entries.get(instance);
    if (entry === undefined) return undefined;
    entry.usedAt = now;
    this.#entries.delete(instance);
    this.#entries.set(instance, entry);
    return entry;
  }

  /** False if there is no room. */
  add(instance: string, entry: Entry): boolean {
    if (this.#entries.size >= this.#max) {
      const [oldest] = this.#entries;
      if (oldest === undefined || entry.usedAt - oldest[1].usedAt < this.#keptMs) return false;
      this.#entries.delete(oldest[0]);
    }
    this.#entries.set(instance, entry);
    return true;
  }

  delete(instance: string): void {
    this.#entries.delete(instance);
  }
}
