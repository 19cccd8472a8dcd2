/**
 * The rules of the audit trail, without storage: which events share a row, how long, and how many rows there may be.
 * Rules AU2 to AU4.
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
import type { Role } from '../../protocol/messages.ts';
import { printable } from '../../protocol/printable.ts';

/** Who did something, as the relay knows it from the credential. */
export interface Actor {
  /** The token's `sub`, printable; absent or null when it has none. */
  readonly name?: string | null | undefined;
  readonly tokenId: string;
  readonly role: Role;
  readonly client: ClientKind;
}

export interface AuditEvent {
  readonly action: AuditAction;
  /** Null when nobody did it, or nobody knows who. */
  readonly actor: Actor | null;
  readonly session: string | null;
  readonly detail: string | null;
}

/** Each class has rows of its own, so that a flood of one removes nothing of another. */
export type AuditClass = 'action' | 'visit' | 'refusal';

export const QUOTAS: Readonly<Record<AuditClass, { readonly rows: number; readonly perHour: number }>> = {
  action: { rows: AUDIT_ACTIONS_MAX_ROWS, perHour: AUDIT_ACTIONS_MAX_PER_HOUR },
  visit: { rows: AUDIT_VISITS_MAX_ROWS, perHour: AUDIT_VISITS_MAX_PER_HOUR },
  refusal: { rows: AUDIT_REFUSALS_MAX_ROWS, perHour: AUDIT_REFUSALS_MAX_PER_HOUR },
};

export const HOUR_MS = 3600 * 1000;

/** The detail of a row that stands for several different events. */
export const FOLDED = 'several';

export function classOf(action: AuditAction): AuditClass {
  if (action === 'refused') return 'refusal';
  return action === 'attached' || action === 'left' ? 'visit' : 'action';
}

/**
 * Whom quotas are counted for: the person where the token names one, because a person may get a new token every few
 * minutes; else the token.
 */
export function actorKey(actor: Actor | null): string {
  if (actor === null) return '';
  return actor.name ? `name:${actor.name}` : `token:${actor.tokenId}`;
}

/** An actor as it is stored, with its fields in a fixed order: rows are compared by this text. */
export function actorText(actor: Actor | null): string | null {
  if (actor === null) return null;
  const { name = null, tokenId, role, client } = actor;
  return JSON.stringify({ name, tokenId, role, client });
}

/** What makes two events one row. */
export function rowKey({ action, actor, session, detail }: AuditEvent): string {
  return JSON.stringify([action, actorText(actor), session, detail]);
}

/** How long a row takes up further events of its kind, from its first one on. */
export function windowMs({ action, detail }: AuditEvent): number {
  if (detail === FOLDED) return HOUR_MS;
  if (action === 'typed') return AUDIT_TYPED_COALESCE_MS;
  return classOf(action) === 'visit' ? AUDIT_VISIT_COALESCE_MS : AUDIT_COALESCE_MS;
}

/** What an event becomes when its actor has had enough rows for this hour: one row for all of its action. */
export function folded(event: AuditEvent): AuditEvent {
  return { ...event, session: null, detail: FOLDED };
}

/**
 * Whether a count is written down now. At powers of two, so that a thousand events in a minute cost ten writes; and
 * when what is written is a minute old, so that `until` can be relied on. What an eviction forgets is less than half.
 */
export function isWorthWriting(count: number, now: number, writtenAt: number): boolean {
  return Number.isInteger(Math.log2(count)) || now - writtenAt >= AUDIT_COALESCE_MS;
}

/** Strings of strangers become one bounded line. Ids and token ids are bounded where they come in. */
export function bounded(event: AuditEvent): AuditEvent {
  const detail = event.detail === null ? null : printable(event.detail).slice(0, AUDIT_DETAIL_MAX_CHARS);
  return { ...event, detail };
}
