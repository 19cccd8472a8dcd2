/**
 * The audit trail of one workspace: who did what, with a bounded number of rows and of writes.
 *
 *   event ── same kind within its window? ── yes ──► counted in that row, written at powers of two
 *                     │ no
 *                     ├─ actor has used up its rows for this hour? ──► counted in one row for that action
 *                     └─ a new row; if its class is full, the oldest row of the busiest actor is removed
 */
import type { AuditPage } from '../../protocol/audit.ts';
import { AUDIT_KEPT_MS } from '../../protocol/limits.ts';
import { errorName, log } from '../platform/log.ts';
import {
  type Actor,
  type AuditEvent,
  bounded,
  classOf,
  folded,
  HOUR_MS,
  isWorthWriting,
  QUOTAS,
  rowKey,
  windowMs,
} from './audit-rules.ts';
import type { AuditQuery, AuditStore, OpenRow } from './audit-store.ts';

/** Rows whose counts are kept in memory between writes. A cache: after an eviction the counts come from storage. */
const OPEN_ROWS_MAX = 256;

/** An open row, and when its count was last written to storage. */
interface CachedRow extends OpenRow {
  readonly writtenAt: number;
  readonly isWritten: boolean;
}

export class AuditTrail {
  readonly #store: AuditStore;
  readonly #open = new Map<string, CachedRow>();
  /** When to remove expired rows next: once an hour, and after every wake-up. */
  #expireAt = 0;

  constructor(store: AuditStore) {
    this.#store = store;
  }

  /** A storage error is logged, and never fails the operation that is being recorded. */
  record(event: AuditEvent, now: number): void {
    try {
      this.#record(bounded(event), now);
    } catch (error) {
      log('error', 'audit_unusable', { error: errorName(error) });
    }
  }

  /** Newest first, including counts that are not written yet. */
  read(query: AuditQuery, now: number): AuditPage {
    const entries = this.#store.read({ ...query, limit: query.limit + 1 }, now);
    const counted = new Map([...this.#open.values()].map((row) => [row.id, row]));
    return {
      entries: entries.slice(0, query.limit).map((entry) => {
        const row = counted.get(entry.id);
        if (row === undefined) return entry;
        return { ...entry, count: row.count, until: new Date(row.until).toISOString() };
      }),
      more: entries.length > query.limit,
    };
  }

  lastAsker(session: string, since: number): Actor | undefined {
    return this.#store.lastAsker(session, since);
  }

  #record(event: AuditEvent, now: number): void {
    if (this.#countedIn(event, now)) return;
    const kind = classOf(event.action);
    const isBusy = this.#store.countSince(event.actor, kind, now - HOUR_MS) >= QUOTAS[kind].perHour;
    if (!isBusy) return this.#begin(event, now);
    if (!this.#countedIn(folded(event), now)) this.#begin(folded(event), now);
  }

  #countedIn(event: AuditEvent, now: number): boolean {
    const key = rowKey(event);
    const row = this.#open.get(key) ?? this.#stored(event, now);
    if (row === null || now - row.at >= windowMs(event)) return false;
    const count = row.count + 1;
    const isWritten = isWorthWriting(count, now, row.writtenAt);
    if (isWritten) this.#store.update(row.id, count, now);
    const writtenAt = isWritten ? now : row.writtenAt;
    this.#cache(key, { id: row.id, at: row.at, until: now, count, writtenAt, isWritten });
    return true;
  }

  #stored(event: AuditEvent, now: number): CachedRow | null {
    const row = this.#store.latest(event, now - windowMs(event));
    return row === null ? null : { ...row, writtenAt: row.until, isWritten: true };
  }

  #begin(event: AuditEvent, now: number): void {
    const kind = classOf(event.action);
    if (now >= this.#expireAt) {
      this.#store.removeOlderThan(now - AUDIT_KEPT_MS);
      this.#expireAt = now + HOUR_MS;
    }
    if (this.#store.count(kind) >= QUOTAS[kind].rows) this.#forget(this.#store.removeOne(kind));
    const id = this.#store.insert(event, now);
    this.#cache(rowKey(event), { id, at: now, until: now, count: 1, writtenAt: now, isWritten: true });
  }

  /** Most recently used last. A row that leaves the cache is written first. */
  #cache(key: string, row: CachedRow): void {
    const before = this.#open.get(key);
    if (before !== undefined && before.id !== row.id) this.#write(before);
    this.#open.delete(key);
    this.#open.set(key, row);
    if (this.#open.size <= OPEN_ROWS_MAX) return;
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    this.#write(oldest[1]);
    this.#open.delete(oldest[0]);
  }

  #write({ id, count, until, isWritten }: CachedRow): void {
    if (!isWritten) this.#store.update(id, count, until);
  }

  /** Stops counting in a row that was removed. */
  #forget(removed: number): void {
    for (const [key, { id }] of this.#open) if (id === removed) this.#open.delete(key);
  }
}
