/**
 * The pages of the owner that are told when the list of machines has changed. They are told that, and nothing else: each
 * then asks for the list with its cookie. So a socket is worth nothing by itself, and needs no alarm to end in time.
 * Rule FL6.
 */
import { CLOSE } from '../../protocol/close-codes.ts';
import { FLEET_WATCHERS_MAX } from '../../protocol/limits.ts';
import { MACHINES_CHANGED } from '../../protocol/owner.ts';

/** What is kept with a socket. */
interface Attachment {
  /** When its cookie expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Counts the sockets. The platform lists them in no order. */
  readonly number: number;
}

/** The part of the object's context that keeps sockets while it sleeps. */
type Sockets = Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets'>;

export class Watchers {
  readonly #sockets: Sockets;

  constructor(sockets: Sockets) {
    this.#sockets = sockets;
  }

  /** When there are too many, the one that came first has to come again. */
  admit(socket: WebSocket, expiresAt: number): void {
    const open = this.#open().toSorted((a, b) => attachmentOf(a).number - attachmentOf(b).number);
    const surplus = open.slice(0, Math.max(0, open.length + 1 - FLEET_WATCHERS_MAX));
    for (const other of surplus) other.close(CLOSE.tooMany, 'Too many pages of the owner are open.');
    this.#sockets.acceptWebSocket(socket);
    const last = open.at(-1);
    const number = last === undefined ? 1 : attachmentOf(last).number + 1;
    socket.serializeAttachment({ expiresAt, number } satisfies Attachment);
  }

  tell(now: number): void {
    for (const socket of this.#open()) {
      if (attachmentOf(socket).expiresAt > now) socket.send(MACHINES_CHANGED);
      else socket.close(CLOSE.unauthorized, 'The login has expired.');
    }
  }

  #open(): WebSocket[] {
    return this.#sockets.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  const { expiresAt = 0, number = 0 } = (socket.deserializeAttachment() ?? {}) as Partial<Attachment>;
  return { expiresAt, number };
}
