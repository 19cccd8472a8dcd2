/**
 * Bytes that were sent to a client and that no acknowledgement of their own will come for: what was on its way when
 * the client left a session, looked away or was brought back elsewhere, and snapshots. A socket keeps its order, so an
 * acknowledgement of anything sent later proves that they have arrived. Until then they are counted.
 *
 * A position is the number of bytes sent to the client before, over all its sessions.
 */

/** More entries than this are joined: what is joined is proven later, never sooner. */
const ENTRIES_MAX = 32;

/** What a client says when it has a snapshot: the session's handle, and the offset that the snapshot shows. */
export interface SnapshotName {
  readonly handle: number;
  readonly offset: number;
}

interface Entry {
  /** All of it was sent before this position. */
  end: number;
  bytes: number;
  name: SnapshotName | undefined;
}

export class UnprovenBytes {
  readonly #entries: Entry[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** `bytes`, all of them sent before position `end`, which is no lower than any before; a snapshot has a name. */
  add(bytes: number, end: number, name?: SnapshotName): void {
    if (bytes <= 0) return;
    this.#bytes += bytes;
    const last = this.#entries.at(-1);
    const isNext = last?.end !== end || name !== undefined || last.name !== undefined;
    if (last === undefined || (isNext && this.#entries.length < ENTRIES_MAX)) {
      this.#entries.push({ end, bytes, name });
      return;
    }
    last.bytes += bytes;
    last.end = end;
    last.name = undefined;
  }

  /** The position behind the first snapshot of this name; undefined when there is none. */
  positionOf({ handle, offset }: SnapshotName): number | undefined {
    return this.#entries.find(({ name }) => name?.handle === handle && name.offset === offset)?.end;
  }

  /** Everything before `position` has arrived; returns how many bytes of these that were. */
  prove(position: number): number {
    const before = this.#bytes;
    for (let [first] = this.#entries; first !== undefined && first.end <= position; [first] = this.#entries) {
      this.#bytes -= first.bytes;
      this.#entries.shift();
    }
    return before - this.#bytes;
  }
}
