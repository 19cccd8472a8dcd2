/** A session's recent output by offset, with the terminal sizes it was printed at. Builds replays from both. */
import type { Size } from '../../protocol/frame.ts';
import type { Snapshot } from '../screen/snapshot.ts';
import { interleave, type Replay } from './replay.ts';
import { RingBuffer } from './ring-buffer.ts';
import { SizeHistory } from './size-history.ts';

export class OutputHistory {
  readonly #ring: RingBuffer;
  readonly #sizes: SizeHistory;

  constructor(bytes: number, size: Size) {
    this.#ring = new RingBuffer(bytes);
    this.#sizes = new SizeHistory(size);
  }

  get start(): number {
    return this.#ring.start;
  }

  get end(): number {
    return this.#ring.end;
  }

  /** How many bytes are held. */
  get length(): number {
    return this.#ring.length;
  }

  get size(): Size {
    return this.#sizes.current;
  }

  /** Returns the offset of the first of `bytes`. */
  write(bytes: Uint8Array): number {
    const offset = this.#ring.end;
    this.#ring.write(bytes);
    this.#sizes.forget(this.#ring.start);
    return offset;
  }

  /** The terminal has another size from here on. */
  resize(size: Size): void {
    this.#sizes.record(this.#ring.end, size);
  }

  /** The bytes before `offset` that are still held. */
  before(offset: number): Uint8Array {
    return this.#ring.read(0).subarray(0, Math.max(0, offset - this.#ring.start));
  }

  /** Everything since `from`; null if part of it is no longer held. */
  replay(from: number): Replay | null {
    if (from < this.#ring.start || from > this.#ring.end) return null;
    const pieces = interleave(from, this.#ring.read(from), this.#sizes.since(from));
    return { from, to: this.#ring.end, size: this.#sizes.at(from), screen: null, linesAbove: 0, pieces };
  }

  /** A replay made of a snapshot and everything printed since. */
  completed({ offset: from, size, deflated, linesAbove, replay, end }: Snapshot): Replay {
    // Output printed after the snapshot was taken.
    const since = interleave(end, this.#ring.read(end), this.#sizes.since(end - 1));
    const pieces = [...replay, ...since];
    return { from, to: this.#ring.end, size, screen: deflated, linesAbove, pieces };
  }

  /** Drops every byte; offsets continue. */
  reset(): void {
    this.#ring.reset();
  }
}
