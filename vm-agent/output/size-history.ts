/**
 * Which size the terminal had at which offset of its output, for as far back as the history goes. A replay at
 * another size than the output was printed for would put the cursor in the wrong place.
 */
import type { Size } from '../../protocol/frame.ts';

export interface SizeChange {
  readonly offset: number;
  readonly size: Size;
}

export class SizeHistory {
  /** In order; the first one was in force when the history begins. Never empty. */
  #changes: SizeChange[];

  constructor(first: Size) {
    this.#changes = [{ offset: 0, size: first }];
  }

  get current(): Size {
    return (this.#changes.at(-1) as SizeChange).size;
  }

  /** The size is different from `offset` on; of several at the same offset the last one counts. */
  record(offset: number, size: Size): void {
    if (this.#changes.at(-1)?.offset === offset) this.#changes.pop();
    this.#changes.push({ offset, size });
  }

  /** The size that the byte at `offset` was printed for. */
  at(offset: number): Size {
    return (this.#changes.findLast((change) => change.offset <= offset) ?? (this.#changes[0] as SizeChange))
      .size;
  }

  /** The changes after `offset`. */
  since(offset: number): SizeChange[] {
    return this.#changes.filter((change) => change.offset > offset);
  }

  /** Output before `offset` is gone; what its size was matters no more. */
  forget(offset: number): void {
    const inForce = this.#changes.findLastIndex((change) => change.offset <= offset);
    if (inForce > 0) this.#changes.splice(0, inForce);
  }
}
