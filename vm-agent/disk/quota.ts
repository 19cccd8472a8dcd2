/**
 * Decides what to delete when the state directory reaches its quota. Pure functions; state-store.ts carries them out.
 *
 * Journals go first, because a fresh snapshot replaces one without loss. So above three quarters of the quota, the
 * sessions with the oldest journals are asked for a snapshot. If that is not enough, screens are dropped: first of
 * sessions whose program has ended, then of those that were quiet for longest.
 */

export interface Usage {
  readonly id: string;
  /** Size of its journal. */
  readonly journalBytes: number;
  /** Bytes that dropping its screen and journal would free. */
  readonly droppableBytes: number;
  readonly exited: boolean;
  /** When output was last written for it, by the clock. */
  readonly writtenAt: number;
  /** When its last snapshot was written. */
  readonly snapshotAt: number;
}

/** A smaller journal is not worth a snapshot, which is rarely smaller itself. */
const WORTHWHILE_JOURNAL_BYTES = 16 * 1024;

/** Above this, journals are cut. */
export function softLimit(quotaBytes: number): number {
  return Math.floor(quotaBytes * 0.75);
}

/**
 * Dropped screens return only below this. Replacing a screen needs room for two for a moment; otherwise two sessions
 * would evict each other forever.
 */
export function returnLimit(quotaBytes: number): number {
  return Math.floor(quotaBytes / 2);
}

/** Sessions to ask for a snapshot, oldest journal first, until the use falls below the soft limit. */
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
 * Sessions whose screens to drop, in order, to free `excessBytes`. Null if dropping all of them would not be enough, so
 * that none is dropped in vain.
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
