/**
 * A browser can read a close code but not the status of a failed upgrade, so it is let in to be told. Not always: whoever does
 * not answer the goodbye keeps the connection, and the runtime what arrives on it. Rule RL26.
 */
import { closeReason } from '../../protocol/close-codes.ts';
import { TURNED_AWAY_MAX } from '../../protocol/limits.ts';

/** Connections that were accepted for this and have not ended. */
export class TurnedAway {
  #count = 0;

  get isFull(): boolean {
    return this.#count >= TURNED_AWAY_MAX;
  }

  /** Counts it until it has ended. */
  add(socket: Pick<WebSocket, 'addEventListener'>): void {
    this.#count++;
    let hasEnded = false;
    const ended = () => {
      if (!hasEnded) this.#count--;
      hasEnded = true;
    };
    socket.addEventListener('close', ended);
    socket.addEventListener('error', ended);
  }
}

/** Of this isolate. */
const turnedAway = new TurnedAway();

/** `subprotocol`: one that was offered, or none when none was. `otherwise`: the answer when too many are let in already. */
export function turnAway(
  subprotocol: string,
  code: number,
  sentence: string,
  otherwise: () => Response,
): Response {
  if (turnedAway.isFull) return otherwise();
  const { 0: theirs, 1: ours } = new WebSocketPair();
  turnedAway.add(ours);
  ours.accept();
  ours.close(code, closeReason(sentence));
  return new Response(null, {
    status: 101,
    webSocket: theirs,
    headers: subprotocol === '' ? {} : { 'Sec-WebSocket-Protocol': subprotocol },
  });
}
