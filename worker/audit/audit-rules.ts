/**
 * The rules of the audit trail, without storage: which events share a row, for how long, and how many rows there may
 * be. Rules AU2 to AU4.
 */
import type { AuditAction, ClientKind } from '../../protocol/audit.ts';
import {
  AUDIT_ACTIONS_MAX_PER_HOUR,
  AUDIT_ACTIONS_MAX_ROWS,
  AUDIT_COALESCE_MS,
  AUDIT_DETAIL_MAX_CHARS,
  AUDIT_REFUSALS_MAX_PER_HOUR,
  AUDIT_REFUSALS_MAX_ROWS,
  AUDIT_TYPED_COALESCE_MS,
  AUDIT_VISIT_COALESCE_MS,
  AUDIT_VISITS_MAX_PER_HOUR,
  AUDIT_VISITS_MAX_ROWS,
} from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import type { Role } from '../../protocol/roles.ts';

/** Who did something, as the relay knows it from the credential. */
export interface Actor {
  /** The token's `sub`, made printable; absent or null when the token has none. */
  readonly name?: string | null | undefined;
  readonly tokenId: string;
  readonly role: Role;
  readonly client: ClientKind;
}

export interface AuditEvent {
  readonly action: AuditAction;
  /** Null when no person caused the event, or it is unknown who did. */
  readonly actor: Actor | null;
  readonly session: string | null;
  readonly detail: string | null;
}

/** Each class has its own rows, so that a flood in one class removes nothing from another. */
export type AuditClass = 'action' | 'visit' | 'refusal';

export const QUOTAS: Readonly<Record<AuditClass, { readonly rows: number; readonly perHour: number }>> = {
  action: { rows: AUDIT_ACTIONS_MAX_ROWS, perHour: AUDIT_ACTIONS_MAX_PER_HOUR },
  visit: { rows: AUDIT_VISITS_MAX_ROWS, perHour: AUDIT_VISITS_MAX_PER_HOUR },
  refusal: { rows: AUDIT_REFUSALS_MAX_ROWS, perHour: AUDIT_REFUSALS_MAX_PER_HOUR },
};

export const HOUR_MS = 3600 * 1000;

/** The detail of a row that combines several different events. */
export const FOLDED = 'several';

export function classOf(action: AuditAction): AuditClass {
  if (action === 'refused') return 'refusal';
  return action === 'attached' || action === 'left' ? 'visit' : 'action';
}

/**
 * The key by which quotas are counted: the person if the token names one, because a person may get a new token every
 * few minutes; otherwise the token.
 */
export function actorKey(actor: Actor | null): string {
  if (actor === null) return '';
  return actor.name ? `name:${actor.name}` : `token:${actor.tokenId}`;
}

/** An actor as it is stored. The field order is fixed, because rows are compared by this text. */
export function actorText(actor: Actor | null): string | null {
  if (actor === null) return null;
  const { name = null, tokenId, role, client } = actor;
  return JSON.stringify({ name, tokenId, role, client });
}

/** Events with the same key share a row. */
export function rowKey({ action, actor, session, detail }: AuditEvent): string {
  return JSON.stringify([action, actorText(actor), session, detail]);
}

/** How long a row accepts further events of its kind, counted from its first event. */
export function windowMs({ action, detail }: AuditEvent): number {
  if (detail === FOLDED) return HOUR_MS;
  if (action === 'typed') return AUDIT_TYPED_COALESCE_MS;
  return classOf(action) === 'visit' ? AUDIT_VISIT_COALESCE_MS : AUDIT_COALESCE_MS;
}

/** Replaces an event whose actor has used up its rows for this hour: all such events of one action share one row. */
export function folded(event: AuditEvent): AuditEvent {
  return { ...event, session: null, detail: FOLDED };
}

/**
 * Whether to write the count to storage now. It is written at powers of two, so that a thousand events in a minute cost
 * ten writes, and when the stored count is a minute old, so that `until` is reliable. An eviction loses less than half
 * of a count.
 */
export function isWorthWriting(count: number, now: number, writtenAt: number): boolean {
  return Number.isInteger(Math.log2(count)) || now - writtenAt >= AUDIT_COALESCE_MS;
}

/** Makes untrusted strings printable and bounded. Session ids and token ids are bounded where they are received. */
export function bounded(event: AuditEvent): AuditEvent {
  const detail = event.detail === null ? null : printable(event.detail).slice(0, AUDIT_DETAIL_MAX_CHARS);
  return { ...event, detail };
}
