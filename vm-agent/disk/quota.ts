/**
 * Who gives way when the state directory reaches its quota. Pure: state-store.ts performs what this file
 * decides.
 *
 * A journal is the cheapest thing to give up, because a fresh snapshot replaces it without loss; so from
 * three quarters of the quota on, the sessions whose journals are oldest are asked for one. Only what still
 * does not fit costs somebody a screen: first sessions whose program has ended, then those quiet for longest.
 */

export interface Usage {
  readonly id: string;
  /** Bytes of its journal. */
  readonly journalBytes: number;
  /** Bytes that dropping its screen and journal would free. */
  readonly droppableBytes: number;
  readonly exited: boolean;
  /** When its screen was last written to, by the clock. */
  readonly writtenAt: number;
  /** When its last snapshot was written. */
  readonly snapshotAt: number;
}

/** A journal smaller than this is not worth a snapshot, which is rarely smaller itself. */
const WORTHWHILE_JOURNAL_BYTES = 16 * 1024;

/** From here on journals are cut. */
export function softLimit(quotaBytes: number): number {
  return Math.floor(quotaBytes * 0.75);
}

/**
 * What was dropped comes back only below this: beside each screen its successor must fit for a moment, or the
 * two would turn each other out for ever.
 */
export function returnLimit(quotaBytes: number): number {
  return Math.floor(quotaBytes / 2);
}

/** Sessions to ask for a snapshot, oldest journal first: as many as bring the use below the soft limit. */
export function toSnapshot(usages: readonly Usage[], usedBytes: number, quotaBytes: number): string[] {
  let excess = usedBytes - softLimit(quotaBytes);
  const candidates = usages
    .filter(({ journalBytes }) => journalBytes >= WORTHWHILE_JOURNAL_BYTES)
    .sort((a, b) => a.snapshotAt - b.snapshotAt);
  const chosen: string[] = [];
  for (const { id, journalBytes } of candidates) {
    if (excess <= 0) break;
    chosen.push(id);
    excess -= journalBytes;
  }
  return chosen;
}

/**
 * Sessions whose screens to drop so that `excessBytes` become free, in this order; null when all of them
 * together would not do, so that none is dropped in vain.
 */
export function toDrop(
  usages: readonly Usage[],
  excessBytes: number,
  mayDropRunning: boolean,
): string[] | null {
  let excess = excessBytes;
  const candidates = usages
    .filter(({ droppableBytes, exited }) => droppableBytes > 0 && (exited || mayDropRunning))
    .sort((a, b) => Number(b.exited) - Number(a.exited) || a.writtenAt - b.writtenAt);
  const chosen: string[] = [];
  for (const { id, droppableBytes } of candidates) {
    if (excess <= 0) break;
    chosen.push(id);
    excess -= droppableBytes;
  }
  return excess <= 0 ? chosen : null;
}
