/** An audit trail on a database in memory, with time that a test sets. */
import type { AuditAction } from '../../../protocol/audit.ts';
import type { Actor } from '../../../worker/audit/audit-rules.ts';
import { AUDIT_COLUMNS, AUDIT_INDEX, AuditStore } from '../../../worker/audit/audit-store.ts';
import { AuditTrail } from '../../../worker/audit/audit-trail.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

export const actor = (tokenId: string, name: string | null = null): Actor => ({
  name,
  tokenId,
  role: 'operator',
  client: 'page',
});
export const ADA = actor('token-ada', 'Ada');
export const BEN = actor('token-ben', 'Ben');

export class Story {
  now = Date.parse('2026-11-16T12:00:00.000Z');
  readonly #storage = sqliteStorage(`CREATE TABLE audit (${AUDIT_COLUMNS})`, AUDIT_INDEX);
  readonly #store = new AuditStore(this.#storage.sql);
  trail = new AuditTrail(this.#store);

  get writes(): number {
    return this.#storage.writes();
  }

  did(
    who: Actor | null,
    action: AuditAction,
    session: string | null = null,
    detail: string | null = null,
  ): void {
    this.trail.record({ actor: who, action, session, detail }, this.now);
  }

  /** The object loses its memory. */
  evict(): void {
    this.trail = new AuditTrail(this.#store);
  }

  entries(limit = 10_000, session: string | null = null) {
    return this.trail.read({ since: 0, before: null, session, limit }, this.now).entries;
  }

  said(): string[] {
    return this.entries().map(({ who, action, session, count, detail }) =>
      [who?.name ?? who?.tokenId ?? 'nobody', action, session, `×${count}`, detail].filter(Boolean).join(' '),
    );
  }
}
