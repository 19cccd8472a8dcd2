/**
 * Starts and stops a session's timers: orphaned, exited, idle, and closed with the option to undo. The reaper decides
 * what happens when one runs out.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Reaper, type Reason } from './reaper.ts';
import type { Session } from './session.ts';

/** A time of zero never runs out. */
export interface ExpiryLimits {
  readonly orphanGraceMs: number;
  readonly idleTimeoutMs: number;
  readonly exitedKeepMs: number;
}

interface ExpiryOptions {
  readonly clock: Clock;
  readonly limits: ExpiryLimits;
  /** Asks who is connected. The answer goes to `presenceAnswered`. */
  readonly ask: (question: string) => void;
  readonly end: (id: string, reason: Reason) => void;
}

export class SessionExpiry {
  readonly #clock: Clock;
  readonly #limits: ExpiryLimits;
  readonly #reaper: Reaper;
  /** Timers of sessions that will be closed later. */
  readonly #reprieves = new Map<Session, Cancel>();

  constructor(options: ExpiryOptions) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#reaper = new Reaper(options);
  }

  linkOpened(): void {
    this.#reaper.linkOpened();
  }

  linkLost(): void {
    this.#reaper.linkLost();
  }

  presenceAnswered(question: string): void {
    this.#reaper.answered(question);
  }

  /** A new session: its idle time starts now. */
  begin(session: Session): void {
    const { id } = session.identity;
    const afterMs = this.#limits.idleTimeoutMs;
    this.#reaper.watch({ id, reason: 'idle', afterMs, remainingMs: () => afterMs - session.idleMs });
  }

  /** Chooses the timer after an operator attached or left, or the program ended. Viewers change nothing. [AG2] */
  settle(session: Session): void {
    const { id, graceMs = this.#limits.orphanGraceMs } = session.identity;
    this.#reaper.release(id, 'orphan_expired');
    this.#reaper.release(id, 'exited_expired');
    if (session.operators > 0) this.reprieve(session);
    else if (session.exit === null) this.#reaper.watch({ id, reason: 'orphan_expired', afterMs: graceMs });
    else this.#reaper.watch({ id, reason: 'exited_expired', afterMs: this.#limits.exitedKeepMs });
  }

  /** The program has ended, so the session can no longer be idle. */
  exited({ identity: { id } }: Session): void {
    this.#reaper.release(id, 'idle');
  }

  /** Runs `close` unless an operator attaches first. [AG8] */
  closeLater(session: Session, afterMs: number, close: () => void): void {
    this.reprieve(session);
    this.#reprieves.set(session, this.#clock.after(afterMs, close));
    session.noteClosing(new Date(Date.now() + afterMs));
  }

  reprieve(session: Session): void {
    const cancel = this.#reprieves.get(session);
    if (cancel === undefined) return;
    cancel();
    this.#reprieves.delete(session);
    session.noteClosing(null);
  }

  /** The session is gone: cancels all its timers. */
  forget(session: Session): void {
    for (const reason of ['orphan_expired', 'exited_expired', 'idle'] as const)
      this.#reaper.release(session.identity.id, reason);
    this.reprieve(session);
  }
}
