/** What an attached session has of the client it belongs to: a clock, and a way to the agent. */
import type { Clock } from '../protocol/clock.ts';
import type { ProtocolError } from '../protocol/errors.ts';
import type { ClientMessage, Theme } from '../protocol/messages.ts';

/** Undoes raw deflate; the page and Node each have their own way. Rejects with a ProtocolError what is too large. */
export type Inflate = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

export interface SessionLink {
  readonly inflate: Inflate;
  /** So many bytes more are held for the screen, or fewer. Throws a ProtocolError when that is too much. */
  readonly holds: (bytes: number) => void;
  readonly instance: string;
  readonly clock: Clock;
  /** The colours of this client's terminals, if it has any to tell. */
  theme(): Theme | undefined;
  sendMessage(message: ClientMessage): void;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
  newRequest(): string;
  stateChanged(): void;
  /** What came breaks the rules, which showed only later: leave for good, as if it had shown at once. */
  broken(error: ProtocolError): void;
  /** Something typed was acknowledged by the agent, this long after it was sent. */
  agentAnswered(roundTripMs: number): void;
  /** Something typed has been on its way for so long that whoever typed it wonders. */
  agentLate(): void;
}
