/**
 * Decides which events of a workspace become rows of the audit trail. It combines the trail, the record of who types,
 * and the record of who requested a change that the agent confirms without naming the requester. The rest of the relay
 * only reports what happens. Rule AU1.
 */
import type { AuditPage } from '../../protocol/audit.ts';
import { CLOSE_AFTER_MAX_MS, SESSIONS_MAX } from '../../protocol/limits.ts';
import { type CloseReason, endReasonOf } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import type { ClientPeer, Peer } from '../peers/peer.ts';
import { AskedRequests } from './asked-requests.ts';
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

/** A request that the agent confirms to everybody. */
interface Wish {
  readonly actor: Actor;
  readonly at: number;
}

export class AuditJournal {
  readonly #trail: AuditTrail;
  readonly typing: Typing;
  /** Requests that are answered to their client. */
  readonly requests = new AskedRequests();
  /** Who asked for what is confirmed to everybody. A cache: an eviction loses it. */
  readonly #wishes = new Map<string, Wish>();

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

  left(channel: number): void {
    this.typing.left(channel);
    this.requests.left(channel);
  }

  /** Remembers who asked. The agent later confirms the change to everybody, without naming the requester. */
  askedToClose(actor: Actor, session: string, now: number): void {
    this.#wish(`close ${session}`, { actor, at: now });
  }

  /** An agent makes a name printable, and changes nothing else. */
  askedToRename(actor: Actor, session: string, name: string, now: number): void {
    this.#wish(`rename ${session} ${printable(name)}`, { actor, at: now });
  }

  renamed(session: string, name: string, now: number): void {
    this.did(this.#asker(`rename ${session} ${name}`, now), 'renamed', now, { session, detail: name });
  }

  /**
   * Records that a session was closed by somebody, now or with a delay, or ended by a rule. A program that had already
   * exited leaves no row.
   */
  gone(session: string, reason: CloseReason, now: number): void {
    const rule = endReasonOf(reason);
    const asker = this.#asker(`close ${session}`, now);
    if (rule !== null) return this.did(null, 'ended', now, { session, detail: rule });
    if (reason !== 'closed') return;
    const before = this.#trail.lastAsker(session, now - CLOSE_AFTER_MAX_MS);
    this.did(asker ?? before ?? null, 'closed', now, { session });
  }

  #wish(key: string, wish: Wish): void {
    this.#wishes.delete(key);
    this.#wishes.set(key, wish);
    const [oldest] = this.#wishes.keys();
    if (this.#wishes.size > ASKED_MAX && oldest !== undefined) this.#wishes.delete(oldest);
  }

  /** Nobody who asked longer ago than any close may be delayed: otherwise an agent could still name that person. */
  #asker(key: string, now: number): Actor | null {
    const wish = this.#wishes.get(key);
    this.#wishes.delete(key);
    return wish === undefined || now - wish.at > CLOSE_AFTER_MAX_MS ? null : wish.actor;
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
