/**
 * Acknowledges input shortly after the program took it. The delay lets the echo go first, because a person waits for
 * that, and joins the acknowledgements of keys typed in quick succession. [IN3]
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Session } from '../session/session.ts';

/** Longer than a program at its prompt takes to echo a key, too short to matter in the displayed round trip. */
export const INPUT_ACK_WAIT_MS = 1;

interface Taken {
  readonly session: Session;
  readonly channel: number;
  /** The program has taken the client's input up to this offset. */
  readonly offset: number;
}

export class InputAcks {
  readonly #clock: Clock;
  readonly #send: (taken: Taken) => void;
  /** By session and channel; only the newest of each matters. */
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

  /** The link is new; clients learn how much was taken when they attach. */
  forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#due.clear();
  }

  /** Acknowledges before sending anything that follows from the input, such as the program's exit. */
  sendAll(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const taken of this.#due.values()) this.#send(taken);
    this.#due.clear();
  }
}
