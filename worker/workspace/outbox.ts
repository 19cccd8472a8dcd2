/**
 * Sends texts and frames to the sockets of a workspace, and counts what each was sent. A connection that is sent too
 * much, or that does not read, is closed. Rules RL16, RL17 and RL25.
 */

import { CLOSE } from '../../protocol/close-codes.ts';
import type { RelayMessage } from '../../protocol/messages/agent-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import { ToldMeter } from '../metering/told-meter.ts';
import { PEERS_PER_UNIT, RECIPIENT_COST, type Turn } from '../metering/turn.ts';
import type { Unread } from '../metering/unread.ts';
import { endsInWorker } from '../peers/peer.ts';
import { scopedAnswer } from '../peers/scope.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import { byteLength } from '../platform/byte-length.ts';
import { log } from '../platform/log.ts';
import type { Time } from '../platform/time.ts';

/** Cost of a text for a client that ends in the Worker, which parses and checks it. */
const WORKER_TOLD_COST = 5;

/** How many bytes of any text are sent in the time of one unit. */
const TOLD_BYTES_PER_UNIT = 1024;

/** Closes a connection from our side. */
export type Expel = (socket: WebSocket, code: number, sentence: string) => void;

interface OutboxParts {
  readonly board: Switchboard<WebSocket>;
  readonly unread: Unread<WebSocket>;
  readonly turn: Turn;
  readonly time: Time;
  readonly expel: Expel;
}

export class Outbox {
  readonly #board: Switchboard<WebSocket>;
  readonly #unread: Unread<WebSocket>;
  readonly #turn: Turn;
  readonly #time: Time;
  readonly #expel: Expel;
  /**
   * How much text each client was sent. A client that has not read it keeps the object from being evicted, so this is
   * not lost too soon.
   */
  readonly #told = new Map<WebSocket, ToldMeter>();

  constructor({ board, unread, turn, time, expel }: OutboxParts) {
    this.#board = board;
    this.#unread = unread;
    this.#turn = turn;
    this.#time = time;
    this.#expel = expel;
  }

  tell(socket: WebSocket, message: ServerMessage): void {
    const told = this.scoped(socket, message);
    if (told !== null) this.tellText(socket, JSON.stringify(told));
  }

  /** The message as this client may see it; null for nothing. [SL7] */
  scoped(socket: WebSocket, message: ServerMessage): ServerMessage | null {
    const peer = this.#board.peerOf(socket);
    const session = peer === undefined || peer.role === 'agent' ? undefined : peer.session;
    return session === undefined ? message : scopedAnswer(message, session);
  }

  /** Costs the workspace as much as sending to each client separately. [RL17] */
  tellClients(message: ServerMessage): void {
    const text = JSON.stringify(message);
    const bytes = byteLength(text);
    for (const { socket, peer } of this.#board.clients()) {
      if (peer.session === undefined) this.tellText(socket, text, bytes);
      else this.tell(socket, message);
    }
  }

  /** Sends a text that every client may see, or that was made for this one. A client that was sent too much, and may not have read any of it, is closed instead. [RL16] */
  tellText(socket: WebSocket, text: string, bytes = byteLength(text)): void {
    const now = this.#time.now();
    const cost = endsInWorker(this.#board.peerOf(socket)) ? WORKER_TOLD_COST : RECIPIENT_COST;
    this.#turn.spend(cost + bytes / TOLD_BYTES_PER_UNIT, now);
    const meter = this.#told.get(socket) ?? new ToldMeter(now);
    this.#told.set(socket, meter);
    if (meter.tells(bytes, now)) {
      send(socket, text);
      return this.#wasSent(socket, bytes);
    }
    log('warn', 'client_told_too_much', {});
    this.#expel(socket, CLOSE.tooMany, 'This connection requested more than it can be sent. Reconnect.');
  }

  /** Does nothing when no agent is connected: the relay queues nothing. */
  tellAgent(message: RelayMessage): void {
    const { agent } = this.#board;
    if (agent === null) return;
    const text = JSON.stringify(message);
    const bytes = byteLength(text);
    this.#turn.spend(RECIPIENT_COST + bytes / TOLD_BYTES_PER_UNIT, this.#time.now());
    send(agent, text);
    this.#wasSent(agent, bytes);
  }

  tellPresence(question?: string): void {
    this.#turn.spend(this.#board.clientCount / PEERS_PER_UNIT, this.#time.now());
    const clients = this.#board.clients().map(({ peer: { channel, role } }) => ({ channel, role }));
    const { generation } = this.#board;
    this.tellAgent({
      type: 'presence',
      generation,
      clients,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Sends the buffer itself, because sending a view would copy it. The caller charges it to the turn. */
  sendFrame(socket: WebSocket, frame: ArrayBuffer): void {
    send(socket, frame);
    this.#wasSent(socket, frame.byteLength);
  }

  left(socket: WebSocket): void {
    this.#told.delete(socket);
  }

  /** Sends a read check now and then. If too much is unread, a connection is closed. [RL25] */
  #wasSent(socket: WebSocket, bytes: number): void {
    if (this.#unread.sent(socket, bytes) && this.#board.peerOf(socket)?.answersReadChecks === true) {
      const mark = crypto.randomUUID().slice(-12);
      this.#unread.asked(socket, mark);
      send(socket, JSON.stringify({ type: 'read_check', mark }));
    }
    const overdue = this.#unread.overdue;
    if (overdue === null) return;
    log('warn', 'connection_reads_nothing', {});
    this.#expel(overdue, CLOSE.tooMany, 'Too much was sent and not read. Reconnect.');
  }
}

/**
 * A closing socket throws, and its departure is about to be reported. Checking its state first would cost more than
 * sending does.
 */
function send(socket: WebSocket, data: string | ArrayBuffer): void {
  try {
    socket.send(data);
  } catch (error) {
    if (socket.readyState === WebSocket.OPEN) throw error;
  }
}
