/**
 * Measures the last return to a session: how long it was away, how much it missed, and how long catching up took. It is
 * shown to people ("Back after 12 s: 3.1 KB caught up in 140 ms") and used in measurements.
 */
export interface Resume {
  /** Bytes printed while away. */
  readonly missedBytes: number;
  /** The part of `missedBytes` that could not be replayed. The screen is correct, but those bytes are lost. */
  readonly lostBytes: number;
  /** How long no output arrived; null when there was none before. */
  readonly awayMs: number | null;
  /** From the request until the last missing byte was passed to the screen. */
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

  /** Output stops arriving. If it stops again before the return is complete, the first time counts. */
  left(now: number): void {
    this.#leftAt ??= now;
    this.#announced = null;
  }

  asked(now: number): void {
    this.#askedAt = now;
    this.#announced = null;
  }

  /** The output now comes from another program. */
  programReplaced(): void {
    this.#isNewProgram = true;
  }

  announced(replay: Announced): void {
    this.#announced = replay;
  }

  /** Everything announced has arrived. Takes effect once per return. */
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
