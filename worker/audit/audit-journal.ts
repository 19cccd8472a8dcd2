/**
 * Decides which events of a workspace become rows of the audit trail. It combines the trail, the record of who types,
 * and the record of who requested a change that the agent confirms without naming the requester. The rest of the relay
 * only reports what happens. Rule AU1.
 */
import type { AuditPage } from '../../protocol/audit.ts';
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import { type CloseReason, endReasonOf } from '../../protocol/messages/session-info.ts';
import type { ClientPeer, Peer } from '../peers/peer.ts';
import type { Actor } from './audit-rules.ts';
import type { AuditQuery } from './audit-store.ts';
import type { AuditTrail } from './audit-trail.ts';
import { Typing, type TypingMemory } from './typing.ts';

/** Why the object refused something. Refusals by the gate are not recorded here. */
export type AuditedRefusal =
  | 'agent_key'
  | 'forbidden'
  | 'malformed'
  | 'revoked'
  | 'session_limit'
  | 'ticket_used'
  | 'too_fast'
  | 'too_large'
  | 'too_many_clients';

/** Requests that wait for a confirmation: for every known session, one to close it and one to rename it. */
const ASKED_MAX = 2 * SESSIONS_MAX;

export class AuditJournal {
  readonly #trail: AuditTrail;
  readonly typing: Typing;
  /** Who asked, by request and session. A cache: an eviction loses it. */
  readonly #asked = new Map<string, Actor>();

  constructor(trail: AuditTrail, memory: TypingMemory) {
    this.#trail = trail;
    this.typing = new Typing(memory, (peer, session, now) =>
      this.did(actorOf(peer), 'typed', now, { session }),
    );
  }

  read(query: AuditQuery, now: number): AuditPage {
    return this.#trail.read(query, now);
  }

  did(
    actor: Actor | null,
    action: Parameters<AuditTrail['record']>[0]['action'],
    now: number,
    what: { readonly session?: string; readonly detail?: string } = {},
  ): void {
    const { session = null, detail = null } = what;
    this.#trail.record({ action, actor, session, detail }, now);
  }

  refused(actor: Actor, reason: AuditedRefusal, now: number): void {
    this.did(actor, 'refused', now, { detail: reason });
  }

  /** Remembers who asked. The agent later confirms the change to everybody, without naming the requester. */
  asked(actor: Actor, what: 'close' | 'rename', session: string): void {
    const key = `${what} ${session}`;
    this.#asked.delete(key);
    this.#asked.set(key, actor);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > ASKED_MAX && oldest !== undefined) this.#asked.delete(oldest);
  }

  renamed(session: string, name: string, now: number): void {
    this.did(this.#asker('rename', session), 'renamed', now, { session, detail: name });
  }

  /**
   * Records that a session was closed by somebody, now or with a delay, or ended by a rule. A program that had already
   * exited leaves no row.
   */
  gone(session: string, reason: CloseReason, now: number): void {
    const rule = endReasonOf(reason);
    const asker = this.#asker('close', session);
    if (rule !== null) return this.did(null, 'ended', now, { session, detail: rule });
    if (reason !== 'closed') return;
    this.did(asker ?? this.#trail.lastAsker(session) ?? null, 'closed', now, { session });
  }

  #asker(what: 'close' | 'rename', session: string): Actor | null {
    const key = `${what} ${session}`;
    const actor = this.#asked.get(key) ?? null;
    this.#asked.delete(key);
    return actor;
  }
}

/** The person or program at the other end of a socket. */
export function actorOf(peer: Peer): Actor {
  const { name, tokenId } = peer.credential;
  const client = peer.role === 'agent' ? 'agent' : (peer.client ?? 'client');
  return { name: name ?? null, tokenId, role: peer.role, client };
}

/** Whether a client has attached to any session. Only then does its departure get a row. */
export function wasAttached(peer: Peer): peer is ClientPeer {
  return peer.role !== 'agent' && (peer.attachedTo?.length ?? 0) > 0;
}
