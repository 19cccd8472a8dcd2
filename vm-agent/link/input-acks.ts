/**
 * Acknowledges input a moment after it was taken. What a key makes its program print is what a person waits for, so
 * that goes first; and keys that follow each other quickly are acknowledged together. [IN3]
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Session } from '../session/session.ts';

/** Longer than a program at its prompt takes to echo a key, too short to count in a round trip that is shown. */
export const INPUT_ACK_WAIT_MS = 1;

interface Taken {
  readonly session: Session;
  readonly channel: number;
  /** Of the client's input, everything before it. */
  readonly offset: number;
}

export class InputAcks {
  readonly #clock: Clock;
  readonly #send: (taken: Taken) => void;
  /** By session and channel: only the newest of each says something. */
  readonly #due = new Map<string, Taken>();
  #cancel: Cancel | undefined;

  constructor(clock: Clock, send: (taken: Taken) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  taken(session: Session, channel: number, offset: number): void {
    this.#due.set(`${session.identity.handle} ${channel}`, { session, channel, offset });
    this.#cancel ??= this.#clock.after(INPUT_ACK_WAIT_MS, () => this.sendAll());
  }

  /** The link is another; with every attach on it a client hears how much was taken. */
  forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#due.clear();
  }

  /** What was taken is said before anything that follows from it, such as the end of the program. */
  sendAll(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const taken of this.#due.values()) this.#send(taken);
    this.#due.clear();
  }
}
