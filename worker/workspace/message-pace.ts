/**
 * Limits what clients send: each connection (RL12) and all connections of one token (RL27). Every message, also an
 * agent's, is charged to the workspace's turn (RL17). It is kept in memory only; an eviction resets the limits.
 */
import { CLOSE } from '../../protocol/close-codes.ts';
import { Refusal } from '../../protocol/errors.ts';
import { FRAME_MAX_BYTES } from '../../protocol/frame.ts';
import {
  AGENT_CONTROL_MAX_BYTES,
  CLIENT_CONTROL_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
} from '../../protocol/limits.ts';
import { errorMessage } from '../../protocol/messages/server-message.ts';
import { type AuditJournal, actorOf } from '../audit/audit-journal.ts';
import { Bucket, CONTROL_COST, frameCost } from '../metering/bucket.ts';
import { type TokenPace, TokenPaces } from '../metering/token-pace.ts';
import { FORWARD_COST, overlongCost, type Turn } from '../metering/turn.ts';
import { type Owner, ownerOf } from '../peers/owner.ts';
import type { ClientPeer, Peer } from '../peers/peer.ts';
import { log } from '../platform/log.ts';
import type { Expel, Outbox } from './outbox.ts';

const TOO_FAST = 'Too many messages in too short a time.';
const TOO_FAST_TOGETHER = 'The connections of this token sent too much in too short a time.';

/** What a client may still send: on this connection, and on all connections of its token. */
interface Pace {
  readonly own: Bucket;
  readonly token: TokenPace<WebSocket>;
}

interface MessagePaceParts {
  readonly outbox: Outbox;
  readonly turn: Turn;
  readonly journal: AuditJournal | null;
  readonly expel: Expel;
}

export class MessagePace {
  readonly #outbox: Outbox;
  readonly #turn: Turn;
  readonly #journal: AuditJournal | null;
  readonly #expel: Expel;
  readonly #paces = new Map<WebSocket, Pace>();
  readonly #tokenPaces = new TokenPaces<WebSocket>();

  constructor({ outbox, turn, journal, expel }: MessagePaceParts) {
    this.#outbox = outbox;
    this.#turn = turn;
    this.#journal = journal;
    this.#expel = expel;
  }

  /**
   * Whether a message may pass. Also sends `slow_down` or closes the socket if needed. An agent is slowed only by
   * pauses.
   */
  admits(socket: WebSocket, peer: Peer, message: string | ArrayBuffer, now: number): boolean {
    const spent = turnCost(peer, message);
    this.#turn.spend(spent, now);
    if (peer.role === 'agent') return true;
    const { own, token } = this.#paceOf(socket, peer, now);
    const cost = typeof message === 'string' ? CONTROL_COST : frameCost(message.byteLength);
    const judgement = own.take(cost, now);
    const ofToken = token.take(socket, spent, now);
    if (judgement === 'pass' && ofToken === 'pass') return true;
    if (judgement === 'over' || ofToken === 'over') {
      log('warn', 'client_too_fast', { role: peer.role });
      this.#journal?.refused(actorOf(peer), 'too_fast', now);
      this.#expel(socket, CLOSE.tooMany, judgement === 'over' ? TOO_FAST : TOO_FAST_TOGETHER);
      return false;
    }
    const retryAfterMs = Math.max(own.retryAfterMs, token.retryAfterMs);
    const refusal = new Refusal('slow_down', 'Messages are sent too fast.');
    this.#outbox.tell(socket, errorMessage(refusal, {}, retryAfterMs));
    return true;
  }

  /** Charges the work that a client's message caused to its token. [RL27] */
  chargeToken(socket: WebSocket, cost: number, now: number): void {
    this.#paces.get(socket)?.token.charge(cost, now);
  }

  /** Whether the connections of this token have used more than their part. */
  owes(owner: Owner, now: number): boolean {
    return this.#tokenPaces.owes(owner, now);
  }

  left(socket: WebSocket): void {
    this.#paces.get(socket)?.token.left(socket);
    this.#paces.delete(socket);
  }

  #paceOf(socket: WebSocket, peer: ClientPeer, now: number): Pace {
    const known = this.#paces.get(socket);
    if (known !== undefined) return known;
    const pace = { own: new Bucket(now), token: this.#tokenPaces.of(ownerOf(peer), now) };
    this.#paces.set(socket, pace);
    return pace;
  }
}

/** The part of a message that is too long is not read, but the runtime has received it. */
function turnCost({ role }: Peer, message: string | ArrayBuffer): number {
  if (typeof message !== 'string') {
    // A client's frame is forwarded to the agent.
    const onwards = role === 'agent' ? 0 : FORWARD_COST;
    const { byteLength } = message;
    return (
      1 + onwards + Math.min(byteLength / PAYLOAD_MAX_BYTES, 1) + overlongCost(byteLength - FRAME_MAX_BYTES)
    );
  }
  const most = role === 'agent' ? AGENT_CONTROL_MAX_BYTES : CLIENT_CONTROL_MAX_BYTES;
  return 1 + Math.min(message.length, most) / 1024 + overlongCost(message.length - most);
}
