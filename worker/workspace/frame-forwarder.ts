/**
 * Forwards data frames: a client's to the agent, the agent's to whoever is subscribed. This is the path of every
 * keystroke and of all output. It is synchronous, asks no storage, uses no JSON, and sends the received buffer itself.
 */
import { CLOSE } from '../../protocol/close-codes.ts';
import { ProtocolError, viewOnly } from '../../protocol/errors.ts';
import { decodeHeader, FRAME_MAX_BYTES, type FrameHeader, stampChannel } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES, STREAMED_PER_S } from '../../protocol/limits.ts';
import { errorMessage } from '../../protocol/messages/server-message.ts';
import { type AuditJournal, actorOf } from '../audit/audit-journal.ts';
import type { BucketSize } from '../metering/bucket.ts';
import { TokenMeter } from '../metering/token-meter.ts';
import { RECIPIENT_COST, type Turn } from '../metering/turn.ts';
import { ownerOf } from '../peers/owner.ts';
import { type ClientPeer, endsInWorker, type Peer } from '../peers/peer.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import type { Expel, Outbox } from './outbox.ts';

const STREAMED: BucketSize = { capacity: STREAMED_PER_S, refillPerS: STREAMED_PER_S };
const STREAMED_TOO_MUCH = 'The streams of this token exceed their rate limit. Follow fewer sessions at once.';

/**
 * Cost of a recipient that ends in the Worker, which decodes the frame, converts it to an event, writes and
 * acknowledges it.
 */
const WORKER_RECIPIENT_COST = 5;

/** Cost of a full frame for a terminal in single-terminal mode: all of it is searched for device queries. */
const FILTERED_FRAME_COST = 60;

interface FrameForwarderParts {
  readonly board: Switchboard<WebSocket>;
  readonly outbox: Outbox;
  readonly turn: Turn;
  readonly journal: AuditJournal | null;
  readonly expel: Expel;
  /** Charges work to the token of a client. [RL27] */
  readonly chargeToken: (socket: WebSocket, cost: number, now: number) => void;
}

export class FrameForwarder {
  readonly #board: Switchboard<WebSocket>;
  readonly #outbox: Outbox;
  readonly #turn: Turn;
  readonly #journal: AuditJournal | null;
  readonly #expel: Expel;
  readonly #chargeToken: FrameForwarderParts['chargeToken'];
  /** How much the streams of each token were sent. [RL28] */
  readonly #streamed = new TokenMeter(STREAMED);

  constructor({ board, outbox, turn, journal, expel, chargeToken }: FrameForwarderParts) {
    this.#board = board;
    this.#outbox = outbox;
    this.#turn = turn;
    this.#journal = journal;
    this.#expel = expel;
    this.#chargeToken = chargeToken;
  }

  forward(socket: WebSocket, peer: Peer, message: ArrayBuffer, now: number): void {
    const frame = new Uint8Array(message);
    if (frame.length > FRAME_MAX_BYTES) {
      this.#journal?.refused(actorOf(peer), 'too_large', now);
      return this.#expel(socket, CLOSE.tooLarge, `A frame has over ${PAYLOAD_MAX_BYTES} bytes of payload.`);
    }
    const header = decodeHeader(frame);
    const judgement = this.#board.judge(peer, header.kind);
    if (judgement === 'malformed') throw new ProtocolError(`a ${peer.role} sends no ${header.kind} frames`);
    if (judgement === 'forbidden') {
      this.#journal?.refused(actorOf(peer), 'forbidden', now);
      return this.#outbox.tell(socket, errorMessage(viewOnly()));
    }
    if (peer.role === 'agent') return this.#toClients(header, message, now);
    if (!this.#board.isInScope(peer, header.handle)) return;
    stampChannel(frame, peer.channel); // [RL2] overrides whatever the client wrote
    if (this.#board.agent === null) return;
    this.#outbox.sendFrame(this.#board.agent, message);
    if (header.kind === 'input') this.#journal?.typing.typed(peer, header.handle, now);
  }

  #toClients(header: FrameHeader, message: ArrayBuffer, now: number): void {
    const frames = message.byteLength / PAYLOAD_MAX_BYTES;
    for (const recipient of this.#board.recipients(header)) {
      this.#outbox.sendFrame(recipient, message);
      // Nobody else has asked for it: received, and sent to one client.
      if (header.kind === 'snapshot') this.#chargeToken(recipient, 1 + RECIPIENT_COST + 2 * frames, now);
      // Looked up afterwards: a recipient that does not read has been closed by now.
      const receiver = this.#board.peerOf(recipient);
      if (endsInWorker(receiver)) this.#wasStreamed(recipient, receiver, frames, now);
      else this.#turn.spend(RECIPIENT_COST + frames, now);
    }
  }

  /**
   * A stream that is sent more than its share is closed. Its client resumes at its offset, with larger frames. [RL28]
   */
  #wasStreamed(socket: WebSocket, peer: ClientPeer, frames: number, now: number): void {
    this.#turn.spend(peer.client === 'terminal' ? frames * FILTERED_FRAME_COST : frames, now);
    this.#turn.spend(WORKER_RECIPIENT_COST, now);
    if (this.#streamed.take(ownerOf(peer), WORKER_RECIPIENT_COST, now) > 0)
      this.#expel(socket, CLOSE.tooMany, STREAMED_TOO_MUCH);
  }
}
