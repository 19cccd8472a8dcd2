/** Decides when to write a session's screen again. It has no clock: callers pass the time. */

/** Replaying this much takes a few tens of milliseconds, and a session at its prompt rarely prints as much. */
export const JOURNAL_FULL_BYTES = 256 * 1024;

/** While a program prints, even if little, its screen is written this often. */
export const SNAPSHOT_AGE_MS = 30_000;

/** Bulk output fills journals faster than screens can be drawn; a crash may lose one second of it. */
export const SNAPSHOT_EVERY_MS = 1_000;

/** A request for a snapshot that is this old counts as lost. */
export const ASK_AGAIN_MS = 10_000;

/** Retry delay: a full disk is rarely freed sooner. */
export const RETRY_MS = 5_000;

interface JournalFill {
  readonly journalBytes: number;
  /** Offset after the last byte printed. */
  readonly end: number;
  /** Output is missing from the journal, so only a snapshot can continue it. */
  readonly isBroken: boolean;
  /** The directory is near its quota, and this journal should be cut. */
  readonly isPressed: boolean;
}

type Asked = { readonly at: number; readonly answered: boolean };

export class SnapshotSchedule {
  /** When the last snapshot was written, or the session started. */
  #writtenAt: number;
  /** The last snapshot's offset. */
  #offset: number;
  #asked: Asked | null = null;
  /** When to retry after the disk refused a snapshot. */
  #retryAt: number | null = null;

  constructor(now: number, offset: number) {
    this.#writtenAt = now;
    this.#offset = offset;
  }

  get writtenAt(): number {
    return this.#writtenAt;
  }

  get isFailing(): boolean {
    return this.#retryAt !== null;
  }

  /** Whether there is output up to `end` that the snapshot does not show. */
  isBehind(end: number): boolean {
    return end > this.#offset;
  }

  isDue(now: number, { journalBytes, end, isBroken, isPressed }: JournalFill): boolean {
    if (this.#retryAt !== null && now < this.#retryAt) return false;
    if (this.#asked !== null) {
      const patience = this.#asked.answered ? SNAPSHOT_EVERY_MS : ASK_AGAIN_MS;
      if (now - this.#asked.at < patience) return false;
    }
    if (isBroken) return true;
    const isOld = now - this.#writtenAt >= SNAPSHOT_AGE_MS;
    return this.isBehind(end) && (isPressed || isOld || journalBytes >= JOURNAL_FULL_BYTES);
  }

  asked(now: number): void {
    this.#asked = { at: now, answered: false };
  }

  written(now: number, offset: number): void {
    this.#writtenAt = now;
    this.#offset = offset;
    this.#retryAt = null;
    this.#answered();
  }

  refused(now: number): void {
    this.#retryAt = now + RETRY_MS;
    this.#answered();
  }

  #answered(): void {
    if (this.#asked !== null) this.#asked = { at: this.#asked.at, answered: true };
  }
}
