/**
 * Where the sockets of single-terminal mode end on a relay of one's own: one object for the terminals of a few tokens. The Worker, which does
 * the rest, is given every message that a socket has, at once and for ever, also after it has closed it; one that sends nothing but
 * empty messages would keep all workspaces waiting and fill the memory. An object can pause, and then nothing is read. Rule RL17.
 *
 * It passes messages on between the terminal outside and the Worker inside, and knows nothing of what they mean. It may be evicted between
 * any two of them: the sockets remember what they are.
 */
import { DurableObject } from 'cloudflare:workers';
import { closeReason, mayBeSent } from '../../protocol/close-codes.ts';
import { Turn } from '../metering/turn.ts';

type Side = 'inside' | 'outside';

/** Of a turn: the message is handed to the Worker, decoded there, and sent to the workspace as a frame. */
const MESSAGE_COST = 10;
const BYTES_PER_UNIT = 4096;

export class TerminalInlet extends DurableObject<unknown> {
  readonly #turn = new Turn(Date.now());

  override fetch(request: Request): Response {
    const [, side, terminal] = new URL(request.url).pathname.split('/');
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours, [`${side}/${terminal}`]);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const [side] = this.#placeOf(socket);
    if (side === 'outside') this.#spend(message);
    const other = this.#otherEndOf(socket);
    if (other?.readyState === WebSocket.OPEN) other.send(message);
  }

  /** The closing handshake is left to us. The inside is answered once the outside has ended, so that it knows when that is. */
  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    const [side] = this.#placeOf(socket);
    const other = this.#otherEndOf(socket);
    const sent = mayBeSent(code) ? code : undefined;
    if (other !== undefined) close(other, sent, reason);
    if (side === 'outside' || other === undefined) close(socket, sent, reason);
  }

  override webSocketError(socket: WebSocket): void {
    const other = this.#otherEndOf(socket);
    if (other !== undefined) close(other, undefined, '');
  }

  #spend(message: string | ArrayBuffer): void {
    const bytes = typeof message === 'string' ? message.length : message.byteLength;
    this.#turn.spend(MESSAGE_COST + bytes / BYTES_PER_UNIT, Date.now());
    const { pauseMs } = this.#turn;
    if (pauseMs === 0) return;
    void this.ctx.blockConcurrencyWhile(() => new Promise<void>((resolve) => setTimeout(resolve, pauseMs)));
  }

  #placeOf(socket: WebSocket): [side: Side, terminal: string] {
    return (this.ctx.getTags(socket)[0] ?? '/').split('/') as [Side, string];
  }

  #otherEndOf(socket: WebSocket): WebSocket | undefined {
    const [side, terminal] = this.#placeOf(socket);
    const [other] = this.ctx.getWebSockets(`${side === 'inside' ? 'outside' : 'inside'}/${terminal}`);
    return other;
  }
}

function close(socket: WebSocket, code: number | undefined, reason: string): void {
  try {
    if (code === undefined) socket.close();
    else socket.close(code, closeReason(reason));
  } catch {
    // closed already
  }
}
