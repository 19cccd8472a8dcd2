/** What an attached session needs from its client: a clock, and a way to send to the agent. */

import type { Clock } from '../protocol/clock.ts';
import type { ProtocolError } from '../protocol/errors.ts';
import type { ClientMessage } from '../protocol/messages/client-message.ts';
import type { Theme } from '../protocol/messages/message-parts.ts';

/**
 * Inflates raw deflate; the page and Node each have their own implementation. Rejects with a ProtocolError if the
 * result is too large.
 */
export type Inflate = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

export interface SessionLink {
  readonly inflate: Inflate;
  /**
   * Reports that this many more bytes are held for the screen, or fewer if negative. Throws a ProtocolError when that
   * is too much.
   */
  readonly holds: (bytes: number) => void;
  readonly instance: string;
  /** Asks to be told who watches the sessions. */
  readonly asksPeople: boolean;
  readonly clock: Clock;
  /** The colours of this client's terminals, if known. */
  theme(): Theme | undefined;
  sendMessage(message: ClientMessage): void;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
  newRequest(): string;
  /** The session with this id has changed. */
  stateChanged(session: string): void;
  /**
   * A protocol violation was detected after the fact: closes the connection for good, as if it had been detected at
   * once.
   */
  broken(error: ProtocolError): void;
  /** The agent acknowledged input, this long after it was sent. */
  agentAnswered(roundTripMs: number): void;
  /** Input has been on its way for so long that a person starts to wonder. */
  agentLate(): void;
}
