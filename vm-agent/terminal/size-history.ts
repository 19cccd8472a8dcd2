/**
 * Records which size the terminal had at which offset, for as long as the output is held. A replay at another size than
 * the output was printed for would put the cursor in the wrong place.
 */
import type { Size } from '../../protocol/frame.ts';

export interface SizeChange {
  readonly offset: number;
  readonly size: Size;
}

export class SizeHistory {
  /** In order. The first entry applies at the start of the history. Never empty. */
  #changes: SizeChange[];

  constructor(first: Size, offset = 0) {
    this.#changes = [{ offset, size: first }];
  }

  /** As `changes` of another one; undefined if there are none. */
  static of(changes: readonly SizeChange[] = []): SizeHistory | undefined {
    const [first, ...others] = changes;
    if (first === undefined) return undefined;
    const history = new SizeHistory(first.size, first.offset);
    for (const { offset, size } of others) history.record(offset, size);
    return history;
  }

  get changes(): readonly SizeChange[] {
    return this.#changes;
  }

  get current(): Size {
    return (this.#changes.at(-1) as SizeChange).size;
  }

  /** The size differs from `offset` on; of several changes at one offset the last one counts. */
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

  /** Output before `offset` is gone, so its sizes are dropped. */
  forget(offset: number): void {
    const inForce = this.#changes.findLastIndex((change) => change.offset <= offset);
    if (inForce > 0) this.#changes.splice(0, inForce);
  }
}
