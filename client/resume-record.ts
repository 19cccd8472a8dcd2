/**
 * How the last return to a session went: how long it was away, how much it had missed, how long catching up took.
 * For people ("Back after 12 s: 3.1 KB caught up in 140 ms") and for measurements.
 */
export interface Resume {
  /** What was printed meanwhile. */
  readonly missedBytes: number;
  /** Of that, what is gone for good: the screen is right, the bytes are not to be had. */
  readonly lostBytes: number;
  /** How long no output came; null when there was none before. */
  readonly awayMs: number | null;
  /** From asking for it until the last missing byte was handed to the screen. */
  readonly tookMs: number;
  readonly by: 'delta' | 'snapshot';
  /** The agent was restarted meanwhile: a new program runs below the old screen. */
  readonly isNewProgram: boolean;
}

interface Announced {
  readonly missedBytes: number;
  readonly lostBytes: number;
  readonly by: Resume['by'];
}

export class ResumeRecord {
  #last: Resume | null = null;
  #leftAt: number | null = null;
  #askedAt = 0;
  #announced: Announced | null = null;
  #isNewProgram = false;

  get last(): Resume | null {
    return this.#last;
  }

  /** No output comes any more. Leaving again before being back counts from the first time. */
  left(now: number): void {
    this.#leftAt ??= now;
    this.#announced = null;
  }

  asked(now: number): void {
    this.#askedAt = now;
    this.#announced = null;
  }

  /** What comes is of another program than what came before. */
  programReplaced(): void {
    this.#isNewProgram = true;
  }

  announced(replay: Announced): void {
    this.#announced = replay;
  }

  /** Everything announced is there. Once per return; later calls change nothing. */
  caughtUp(now: number): void {
    if (this.#announced === null) return;
    const awayMs = this.#leftAt === null ? null : now - this.#leftAt;
    const isNewProgram = this.#isNewProgram;
    this.#last = { ...this.#announced, awayMs, tookMs: now - this.#askedAt, isNewProgram };
    this.#isNewProgram = false;
    this.#announced = null;
    this.#leftAt = null;
  }
}
