/** Builds replays from the output that a terminal still holds, and from the sizes at which that was printed. */
import type { Snapshot } from '../screen/snapshot.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { interleave, type Replay } from './replay.ts';

export class OutputHistory {
  readonly #ring: Terminal['ring'];
  readonly #sizes: Terminal['sizes'];

  constructor({ ring, sizes }: Pick<Terminal, 'ring' | 'sizes'>) {
    this.#ring = ring;
    this.#sizes = sizes;
  }

  get start(): number {
    return this.#ring.start;
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
}
