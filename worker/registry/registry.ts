/**
 * What the workspace remembers: its sessions (session-table.ts), its tabs, the agent's last connection, and who is
 * locked out. Its SQL is here, in session-table.ts, registry-schema.ts and audit/audit-store.ts, and nowhere else.
 *
 * Written when something begins, changes or ends, never per frame: sends wait for pending writes.
 */
import * as v from 'valibot';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX, REVOCATIONS_PAGE_MAX } from '../../protocol/limits.ts';
import { type AgentPresence, type Layout, layoutSchema } from '../../protocol/messages.ts';
import { errorName, log } from '../platform/log.ts';
import { RegistrySchema } from './registry-schema.ts';
import { isInTheFuture, type Revocation, type RevocationList, type Revocations } from './revocation.ts';
import { SessionTable } from './session-table.ts';
import { countOf, isoTime, momentOf, parseJson, timeOf } from './stored-values.ts';

/** What has expired by the relay's clock may still be shown to it by another's. */
const CLOCK_SKEW_MS = CLOCK_SKEW_MAX_S * 1000;

/** The public key that the workspace knows its agent by, and which token brought it. */
export interface PinnedKey {
  readonly key: string;
  readonly pinnedAt: string | null;
  readonly pinnedBy: string;
}

/** Somebody's tabs, and since when; null where nobody has saved any. */
interface SavedLayout {
  readonly layout: Layout | null;
  readonly savedAt: string | null;
}

export class Registry {
  readonly sessions: SessionTable;
  readonly #sql: Pick<SqlStorage, 'exec'>;
  /** As stored; every page asks for it, and reading it anew costs more than all else that a question does. */
  #layout: SavedLayout | undefined;

  /** Never throws: a constructor that does, on a wake-up, drops every socket and bricks the object. */
  constructor(sql: Pick<SqlStorage, 'exec'>, now: number) {
    this.#sql = sql;
    this.sessions = new SessionTable(sql);
    const schema = new RegistrySchema(sql);
    for (const attempt of schema.attempts()) {
      try {
        const { areLocksLost } = attempt();
        this.#sql.exec(`INSERT OR IGNORE INTO agent (only_row, generation, state) VALUES (1, 0, 'offline')`);
        // Who was locked out is not known any more, so everybody is: new tokens get in.
        if (areLocksLost) this.setFact('revoked_before', now);
        this.#unlock(now);
        return;
      } catch (error) {
        log('error', 'registry_unusable', { error: errorName(error) });
      }
    }
  }

  // ── The agent ────────────────────────────────────────────────────────────────────────────────────

  agent(): AgentPresence {
    const [row] = this.#sql
      .exec<{ [name: string]: SqlStorageValue }>(
        'SELECT generation, epoch, state, since, last_seen FROM agent',
      )
      .toArray();
    return {
      state: row?.state === 'online' ? 'online' : 'offline',
      since: timeOf(row?.since),
      lastSeen: timeOf(row?.last_seen),
      epoch: typeof row?.epoch === 'string' ? row.epoch : null,
      generation: countOf(row?.generation),
    };
  }

  /** A new agent connection; its number fences off every earlier one, also those storage has forgotten. [RL1] */
  nextGeneration(atLeast: number): number {
    const generation = Math.max(this.agent().generation, atLeast, this.sessions.lastGeneration()) + 1;
    this.#sql.exec('UPDATE agent SET generation = ?', generation);
    return generation;
  }

  agentOnline(epoch: string, now: number): void {
    const time = isoTime(now);
    this.#sql.exec(
      "UPDATE agent SET state = 'online', epoch = ?, since = ?, last_seen = ?",
      epoch,
      time,
      time,
    );
  }

  /**
   * `lastSeen` is null when nobody knows: what is written stays. Storage that takes nothing is no reason to fail, and
   * least of all in the object's constructor: whoever has no socket is offline, written down or not.
   */
  agentOffline(now: number, lastSeen: number | null): void {
    try {
      this.#sql.exec(
        `UPDATE agent SET state = 'offline', since = ?, last_seen = coalesce(?, last_seen)
         WHERE state <> 'offline'`,
        isoTime(now),
        lastSeen === null ? null : isoTime(lastSeen),
      );
    } catch (error) {
      log('error', 'registry_unusable', { error: errorName(error) });
    }
  }

  /** Null when none is pinned. A row that cannot be read still pins: it is no key's, until it is reset. [AK2] */
  agentKey(): PinnedKey | null {
    const [row] = this.#sql
      .exec<{ [name: string]: SqlStorageValue }>('SELECT key, pinned_at, pinned_by FROM agent_key')
      .toArray();
    if (row === undefined) return null;
    return { key: String(row.key), pinnedAt: timeOf(row.pinned_at), pinnedBy: String(row.pinned_by) };
  }

  pinAgentKey(key: string, tokenId: string, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO agent_key (only_row, key, pinned_at, pinned_by) VALUES (1, ?, ?, ?)',
      key,
      isoTime(now),
      tokenId,
    );
  }

  unpinAgentKey(): null {
    this.#sql.exec('DELETE FROM agent_key');
    log('info', 'agent_key_reset');
    return null;
  }

  // ── Tabs ─────────────────────────────────────────────────────────────────────────────────────────

  saveLayout(layout: Layout, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO layout (only_row, tabs, saved_at) VALUES (1, ?, ?)',
      JSON.stringify(layout),
      isoTime(now),
    );
    this.#layout = undefined;
  }

  layout(): SavedLayout {
    this.#layout ??= this.#readLayout();
    return this.#layout;
  }

  #readLayout(): SavedLayout {
    const [row] = this.#sql
      .exec<{ tabs: string; saved_at: string }>('SELECT tabs, saved_at FROM layout')
      .toArray();
    const layout = v.safeParse(layoutSchema, parseJson(row?.tabs));
    const savedAt = timeOf(row?.saved_at);
    return layout.success ? { layout: layout.output, savedAt } : { layout: null, savedAt: null };
  }

  // ── Who is locked out ────────────────────────────────────────────────────────────────────────────

  revocations(): Revocations {
    return {
      before: this.fact('revoked_before') ?? 0,
      names: (jti) => this.#sql.exec('SELECT 1 FROM revocations WHERE jti = ?', jti).toArray().length > 0,
    };
  }

  /**
   * False when the list is full. A name is kept until its token has expired, and for good where nobody said when that is:
   * a moment does not cover it, because the token's `iat` may lie behind that.
   */
  revoke(revocation: Revocation, now: number): boolean {
    if ('before' in revocation) {
      this.setFact('revoked_before', Math.max(revocation.before, this.fact('revoked_before') ?? 0));
      return true;
    }
    this.#sql.exec('DELETE FROM revocations WHERE expires_at < ?', now - CLOCK_SKEW_MS);
    const [row] = this.#sql
      .exec<{ n: number }>('SELECT count(*) AS n FROM revocations WHERE jti <> ?', revocation.jti)
      .toArray();
    if ((row?.n ?? 0) >= REVOCATIONS_MAX) return false;
    // `max` of two answers NULL when either is: of two tokens with one name, the one that never ends counts.
    this.#sql.exec(
      `INSERT INTO revocations (jti, recorded_at, expires_at) VALUES (?, ?, ?) ON CONFLICT (jti) DO UPDATE
       SET expires_at = max(expires_at, excluded.expires_at)`,
      revocation.jti,
      now,
      revocation.expiresAt ?? null,
    );
    return true;
  }

  /** By name, those after `after`, one page of them. */
  listRevocations(after: string): RevocationList {
    const rows = this.#sql
      .exec<{ jti: string; recorded_at: SqlStorageValue; expires_at: SqlStorageValue }>(
        'SELECT jti, recorded_at, expires_at FROM revocations WHERE jti > ? ORDER BY jti LIMIT ?',
        after,
        REVOCATIONS_PAGE_MAX + 1,
      )
      .toArray();
    const page = rows.slice(0, REVOCATIONS_PAGE_MAX);
    const before = this.fact('revoked_before');
    return {
      before: momentOf(before),
      revocations: page.map((row) => ({
        jti: row.jti,
        revokedAt: momentOf(row.recorded_at),
        expiresAt: momentOf(row.expires_at),
      })),
      next: rows.length > page.length ? (page.at(-1)?.jti ?? null) : null,
    };
  }

  /** False when there was no such revocation. */
  undoRevocation(what: { readonly jti: string } | 'before'): boolean {
    if (what !== 'before') {
      const gone = this.#sql.exec('DELETE FROM revocations WHERE jti = ? RETURNING jti', what.jti);
      return gone.toArray().length > 0;
    }
    const wasSet = this.fact('revoked_before') !== null;
    this.setFact('revoked_before', null);
    return wasSet;
  }

  /** True the first time. What cannot be redeemed any more need not be remembered. [GT7] */
  redeem(ticket: { readonly id: string; readonly expiresAt: number }, now: number): boolean {
    this.#sql.exec('DELETE FROM redeemed_tickets WHERE expires_at < ?', now - CLOCK_SKEW_MS);
    const fresh = this.#sql.exec(
      'INSERT OR IGNORE INTO redeemed_tickets (id, expires_at) VALUES (?, ?) RETURNING id',
      ticket.id,
      ticket.expiresAt,
    );
    return fresh.toArray().length > 0;
  }

  /** An earlier version took a moment far ahead, which locks out tokens that are yet to be made: it counts as now. */
  #unlock(now: number): void {
    const before = this.fact('revoked_before');
    if (before !== null && isInTheFuture({ before }, now)) this.setFact('revoked_before', now);
  }

  // ── Single numbers ───────────────────────────────────────────────────────────────────────────────

  fact(name: 'alarm_at' | 'revoked_before'): number | null {
    const [row] = this.#sql
      .exec<{ value: SqlStorageValue }>('SELECT value FROM facts WHERE name = ?', name)
      .toArray();
    return typeof row?.value === 'number' ? row.value : null;
  }

  setFact(name: 'alarm_at' | 'revoked_before', value: number | null): void {
    if (value === null) this.#sql.exec('DELETE FROM facts WHERE name = ?', name);
    else this.#sql.exec('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)', name, value);
  }
}
