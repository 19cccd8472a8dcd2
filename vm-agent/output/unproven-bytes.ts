/**
 * Counts bytes sent to a client that will not be acknowledged by offset: snapshots, and output that was in flight when
 * the client left a session, was hidden or resumed at another offset. A socket keeps its order, so an acknowledgement
 * of anything sent later proves that they arrived. Until then they count as in flight.
 *
 * A position is the number of bytes sent to the client before, over all its sessions.
 */

/** Beyond this number entries are merged; merged bytes are proven later, never sooner. */
const ENTRIES_MAX = 32;

/** How a client names a snapshot it acknowledges: the session's handle and the snapshot's offset. */
export interface SnapshotName {
  readonly handle: number;
  readonly offset: number;
}

interface Entry {
  /** All of its bytes were sent before this position. */
  end: number;
  bytes: number;
  name: SnapshotName | undefined;
}

export class UnprovenBytes {
  readonly #entries: Entry[] = [];
  /** How many are counted. A field, because it is read several times for every frame; only this class changes it. */
  bytes = 0;

  /** Adds `bytes` sent before position `end`, which never decreases; a snapshot has a name. */
  add(bytes: number, end: number, name?: SnapshotName): void {
    if (bytes <= 0) return;
    this.bytes += bytes;
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

  /** The position after the first snapshot of this name; undefined if there is none. */
  positionOf({ handle, offset }: SnapshotName): number | undefined {
    return this.#entries.find(({ name }) => name?.handle === handle && name.offset === offset)?.end;
  }

  /** Everything before `position` has arrived; returns how many of the counted bytes that proves. */
  prove(position: number): number {
    const before = this.bytes;
    for (let [first] = this.#entries; first !== undefined && first.end <= position; [first] = this.#entries) {
      this.bytes -= first.bytes;
      this.#entries.shift();
    }
    return before - this.bytes;
  }
}
