/**
 * The Durable Object at which sockets of single-terminal mode end on a self-hosted relay. One object serves the
 * terminals of a few tokens. The Worker, which does the rest, cannot stop reading a socket: it receives every message
 * at once, even after it has closed the socket. A client that sends only empty messages would block all workspaces and
 * fill the memory. An object can pause, and then nothing is read. Rule RL17.
 *
 * It forwards messages between the terminal outside and the Worker inside without interpreting them. It may be evicted
 * between any two messages; each socket's tag records what it is: its side, its terminal and its workspace.
 */
import { DurableObject } from 'cloudflare:workers';
import { closeReason, mayBeSent } from '../../protocol/close-codes.ts';
import { SharedTurns } from '../metering/shared-turns.ts';
import { unbrokenWork } from '../metering/unbroken-work.ts';

type Side = 'inside' | 'outside';

/**
 * Cost of a message in units of a turn: it is passed to the Worker, decoded there, and sent to the workspace as a
 * frame.
 */
const MESSAGE_COST = 10;
const BYTES_PER_UNIT = 4096;

/** The turns of all workspaces of this isolate. A workspace has several inlets, and they share its turn. */
const turns = new SharedTurns(unbrokenWork);

interface Place {
  readonly side: Side;
  readonly terminal: string;
  readonly workspace: string;
}

const tagOf = ({ side, terminal, workspace }: Place): string => `${side}/${terminal}/${workspace}`;

export class TerminalInlet extends DurableObject<unknown> {
  override fetch(request: Request): Response {
    const tag = new URL(request.url).pathname.slice(1);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours, [tag]);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const { side, workspace } = this.#placeOf(socket);
    if (side === 'outside') this.#spend(workspace, message);
    const other = this.#otherEndOf(socket);
    if (other?.readyState === WebSocket.OPEN) other.send(message);
  }

  /**
   * The hibernation API leaves the closing handshake to us. The inside is answered only after the outside has ended, so
   * that the Worker knows when that is.
   */
  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    const { side } = this.#placeOf(socket);
    const other = this.#otherEndOf(socket);
    const sent = mayBeSent(code) ? code : undefined;
    if (other !== undefined) close(other, sent, reason);
    if (side === 'outside' || other === undefined) close(socket, sent, reason);
  }

  override webSocketError(socket: WebSocket): void {
    const other = this.#otherEndOf(socket);
    if (other !== undefined) close(other, undefined, '');
  }

  #spend(workspace: string, message: string | ArrayBuffer): void {
    const bytes = typeof message === 'string' ? message.length : message.byteLength;
    const turn = turns.of(workspace, Date.now());
    turn.spend(MESSAGE_COST + bytes / BYTES_PER_UNIT, Date.now());
    const { pauseMs } = turn;
    if (pauseMs === 0) return;
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, pauseMs));
    const ended = turn.beginPause();
    void this.ctx.blockConcurrencyWhile(() => pause().then(ended));
  }

  #placeOf(socket: WebSocket): Place {
    const [side = '', terminal = '', workspace = ''] = (this.ctx.getTags(socket)[0] ?? '').split('/');
    return { side: side as Side, terminal, workspace };
  }

  #otherEndOf(socket: WebSocket): WebSocket | undefined {
    const place = this.#placeOf(socket);
    const side = place.side === 'inside' ? 'outside' : 'inside';
    return this.ctx.getWebSockets(tagOf({ ...place, side }))[0];
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
