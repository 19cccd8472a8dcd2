/** Ends the programs of sessions, and waits until they and everything they started are gone. */
import type { Clock } from '../../protocol/clock.ts';
import type { Session } from './session.ts';

export class SessionEndings {
  readonly #clock: Clock;
  readonly #sessions: () => readonly Session[];
  /** Sessions whose processes are still being terminated. */
  #endings = 0;
  #whenDrained: () => void = () => {};

  constructor(clock: Clock, sessions: () => readonly Session[]) {
    this.#clock = clock;
    this.#sessions = sessions;
  }

  end(session: Session): void {
    this.#endings++;
    void session.close().then(() => {
      this.#endings--;
      this.#whenDrained();
    });
  }

  /** A program has ended. */
  exited(): void {
    this.#whenDrained();
  }

  /** Ends every session. Resolves when all programs and everything they started have ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(withinMs, resolve);
      this.#whenDrained = () => {
        if (this.#endings > 0 || this.#sessions().some(({ exit }) => exit === null)) return;
        cancel();
        resolve();
      };
      for (const session of this.#sessions()) this.end(session);
      this.#whenDrained();
    });
  }
}
