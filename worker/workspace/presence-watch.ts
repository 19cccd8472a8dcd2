/**
 * Closes peers that have gone silent, whose credential has expired, or whose token was revoked. Sets the alarm for
 * checks that must not wait for the next event, and for telling who watches. liveness.ts and revocation.ts decide; this file acts.
 */
import { CLOSE, closeSentence } from '../../protocol/close-codes.ts';
import { PEERS_PER_UNIT } from '../metering/turn.ts';
import { nextAlarm, nextLook, type Seated, verdictOn } from '../peers/liveness.ts';
import type { Credential, Peer } from '../peers/peer.ts';
import {
  concerns,
  isInTheFuture,
  isRevoked,
  type Revocation,
  type RevocationOutcome,
} from '../registry/revocation.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

export class PresenceWatch {
  readonly #sockets: WorkspaceSockets;
  readonly #alarm: ObjectAlarm;
  /** No verdict can change before this time. Zero after a wake-up, so that the first event checks. */
  #lookAt = 0;

  constructor(room: WorkspaceSockets, alarm: ObjectAlarm) {
    this.#sockets = room;
    this.#alarm = alarm;
    room.people.onDue((at) => alarm.plan(at));
  }

  /** Runs at the beginning of every event; nearly always a single comparison. [RL8] */
  look(now: number): void {
    for (const socket of this.#sockets.pending.late(now)) {
      this.#sockets.expel(socket, CLOSE.silent, 'The agent did not prove its key in time.');
    }
    if (now < this.#lookAt) return;
    let anybodyLate = false;
    for (const [socket, peer] of [...this.#sockets.board.everybody()]) {
      const verdict = verdictOn(this.#seated(socket, peer), now);
      if (verdict === 'silent') this.#sockets.expel(socket, CLOSE.silent, closeSentence(CLOSE.silent));
      if (verdict === 'expired') this.#sockets.expel(socket, CLOSE.unauthorized, 'The token has expired.');
      anybodyLate ||= verdict === 'late';
    }
    this.#lookAt = nextLook(this.#everybody(), now);
    if (anybodyLate) this.plan(now);
  }

  /** A peer arrived, or somebody now waits for a verdict: checks whether the alarm is early enough. [RL9] */
  plan(now: number, asked = false): void {
    this.#sockets.turn.spend(1 + this.#sockets.board.clientCount / PEERS_PER_UNIT, now);
    this.#lookAt = Math.min(this.#lookAt, nextLook(this.#everybody(), now));
    this.#alarm.plan(nextAlarm(this.#everybody(asked), now));
  }

  alarm(now: number): void {
    this.#lookAt = 0;
    this.look(now);
    this.plan(now);
    this.#sockets.people.settle(now);
  }

  /** Revokes credentials and closes the sockets they opened. [GT8] */
  revoke(revocation: Revocation, now: number): RevocationOutcome {
    if (isInTheFuture(revocation, now)) return 'in_the_future';
    if (!this.#sockets.registry.revoke(revocation, now)) return 'list_full';
    for (const [socket, peer] of [...this.#sockets.board.everybody(), ...this.#sockets.pending.all()]) {
      if (concerns(revocation, peer.credential)) {
        this.#sockets.expel(socket, CLOSE.unauthorized, 'The token has been revoked.');
      }
    }
    return 'revoked';
  }

  /** Closes whatever was opened with these tokens, which are revoked. */
  closeTokens(ids: readonly string[]): void {
    for (const [socket, peer] of [...this.#sockets.board.everybody()]) {
      if (ids.includes(peer.credential.tokenId))
        this.#sockets.expel(socket, CLOSE.unauthorized, 'The link has been revoked.');
    }
  }

  isLockedOut(credential: Credential): boolean {
    return isRevoked(credential, this.#sockets.registry.revocations());
  }

  *#everybody(asked = false): Generator<Seated> {
    for (const [socket, peer] of this.#sockets.board.everybody()) yield this.#seated(socket, peer, asked);
  }

  /**
   * The verdict on an operator is awaited while its departure would start a grace period; that on any client, when the
   * agent has just asked.
   */
  #seated(socket: WebSocket, peer: Peer, asked = false): Seated {
    const { board } = this.#sockets;
    const agent = board.agent === null ? undefined : board.peerOf(board.agent);
    const graceApplies = agent?.role === 'agent' && (agent.graceMs > 0 || agent.sessionsHaveGraces);
    return {
      credential: peer.credential,
      heardAt: this.#sockets.heardAt(socket),
      awaited:
        peer.role !== 'agent' &&
        board.isSubscribed(peer) &&
        (asked || (graceApplies && peer.role === 'operator')),
    };
  }
}
