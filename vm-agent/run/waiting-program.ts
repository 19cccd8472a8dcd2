/** Whether a program that was run waits for input: from what the system tells, looked at twice, never from silence. */
import type { Clock } from '../../protocol/clock.ts';
import type { AssistCall } from './assist-call.ts';
import type { AssistedSession } from './assisted-session.ts';
import type { KnownRun } from './session-runs.ts';

/** A program that has just printed something is not looked at. */
const QUIET_MS = 300;

/** A program that waits is looked at twice, because it may just be about to go on. */
const CONFIRM_MS = 200;

/** Each look reads files of /proc and may start a program. All calls of a session share it for this long. */
const SHARED_MS = 100;

export class WaitingProgram {
  readonly #session: AssistedSession;
  readonly #clock: Clock;
  readonly #printedAt: () => number;
  #last: { readonly at: number; readonly found: Promise<string | null> } | undefined;

  constructor(session: AssistedSession, clock: Clock, printedAt: () => number) {
    this.#session = session;
    this.#clock = clock;
    this.#printedAt = printedAt;
  }

  /** The name of the program that waits; null if none does. */
  async of(run: KnownRun, call: AssistCall): Promise<string | null> {
    if ((await this.#look(run)) === null) return null;
    const printedAt = this.#printedAt();
    if (await call.until(() => run.hasEnded || call.takenBy !== null, CONFIRM_MS)) return null;
    return this.#printedAt() === printedAt ? this.#look(run) : null;
  }

  async #look(run: KnownRun): Promise<string | null> {
    if (this.#clock.now() - this.#printedAt() < QUIET_MS) return null;
    // The command has begun and not ended, or wants the rest of its line: if the shell itself reads, then not at a prompt.
    const own = this.#session.look();
    if (own?.isOwn === true && own.reads === true) return own.program;
    return run.hasBegun ? this.#shared() : null;
  }

  #shared(): Promise<string | null> {
    const now = this.#clock.now();
    if (this.#last === undefined || now - this.#last.at >= SHARED_MS)
      this.#last = { at: now, found: this.#session.waiting() };
    return this.#last.found;
  }
}
