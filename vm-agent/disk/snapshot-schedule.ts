/** When a session's screen should be written again. Knows no clock: every method is told what time it is. */

/** A replay of this much takes a few tens of milliseconds, and a session at a prompt rarely prints as much. */
export const JOURNAL_FULL_BYTES = 256 * 1024;

/** A screen is written this often while its program prints, however little. */
export const SNAPSHOT_AGE_MS = 30_000;

/** A flood fills journals faster than screens can be drawn; one drawing a second is what a crash may cost. */
export const SNAPSHOT_EVERY_MS = 1_000;

/** Whoever was asked this long ago has forgotten. */
export const ASK_AGAIN_MS = 10_000;

/** A full disk is seldom emptied sooner. */
export const RETRY_MS = 5_000;

interface JournalFill {
  readonly journalBytes: number;
  /** Offset after the last byte printed. */
  readonly end: number;
  /** Output is missing from the journal, so that only a snapshot can continue it. */
  readonly isBroken: boolean;
  /** The directory is near its quota, and this journal is to be cut. */
  readonly isPressed: boolean;
}

type Asked = { readonly at: number; readonly answered: boolean };

export class SnapshotSchedule {
  /** When the last snapshot was written, or the session began. */
  #writtenAt: number;
  /** How much of the output it shows. */
  #offset: number;
  #asked: Asked | null = null;
  /** After the disk refused one: when to try again. */
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

  /** Whether output up to `end` is more than the snapshot shows. */
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
