/**
 * Accepts a browser's socket only to close it with a code, because a browser can read a close code but not the status
 * of a failed upgrade. The number of such sockets is limited: a client that does not answer the close keeps its
 * connection open, and the runtime keeps what arrives on it. Rule RL26.
 */
import { closeReason } from '../../protocol/close-codes.ts';
import { TURNED_AWAY_MAX, WORKSPACE_TURNED_AWAY_MAX } from '../../protocol/limits.ts';

/** Sockets that were accepted only to be closed and have not ended yet. */
export class TurnedAway {
  #count = 0;
  /** By workspace, where not zero. */
  readonly #counts = new Map<string, number>();

  isFullFor(workspace: string): boolean {
    return this.#count >= TURNED_AWAY_MAX || this.#countOf(workspace) >= WORKSPACE_TURNED_AWAY_MAX;
  }

  /** Counts the socket until it has ended. */
  add(socket: Pick<WebSocket, 'addEventListener'>, workspace: string): void {
    this.#change(workspace, 1);
    let hasEnded = false;
    const ended = () => {
      if (!hasEnded) this.#change(workspace, -1);
      hasEnded = true;
    };
    socket.addEventListener('close', ended);
    socket.addEventListener('error', ended);
  }

  #countOf(workspace: string): number {
    return this.#counts.get(workspace) ?? 0;
  }

  #change(workspace: string, by: 1 | -1): void {
    this.#count += by;
    const count = this.#countOf(workspace) + by;
    if (count > 0) this.#counts.set(workspace, count);
    else this.#counts.delete(workspace);
  }
}

/** One count for the isolate. */
const turnedAway = new TurnedAway();

/** `subprotocol` is one of those offered, or none if none was. `otherwise` is the answer when the limit is reached. */
export function turnAway(
  workspace: string,
  subprotocol: string,
  code: number,
  sentence: string,
  otherwise: () => Response,
): Response {
  if (turnedAway.isFullFor(workspace)) return otherwise();
  const { 0: theirs, 1: ours } = new WebSocketPair();
  turnedAway.add(ours, workspace);
  ours.accept();
  ours.close(code, closeReason(sentence));
  return new Response(null, {
    status: 101,
    webSocket: theirs,
    headers: subprotocol === '' ? {} : { 'Sec-WebSocket-Protocol': subprotocol },
  });
}
