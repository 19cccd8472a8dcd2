/**
 * The registry: what a workspace stores in SQLite. It holds sessions (session-table.ts), tabs, the agent's last
 * connection and key, revocations, share links (share-links.ts), subscriptions to pushes (push-subscriptions.ts,
 * push-queue.ts), and what was reported to the fleet. SQL is used only in this folder, in audit/audit-store.ts and in
 * fleet/.
 *
 * It is written when something begins, changes or ends, and never per frame, because sends wait for pending writes.
 */
import * as v from 'valibot';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX, REVOCATIONS_PAGE_MAX } from '../../protocol/limits.ts';
import { type Layout, layoutSchema } from '../../protocol/messages/message-parts.ts';
import type { AgentPresence } from '../../protocol/messages/server-message.ts';
import { isLinkId } from '../../protocol/token.ts';
import { errorName, log } from '../platform/log.ts';
import { withSplits } from './layout-splits.ts';
import { MachineReportRow } from './machine-report-row.ts';
import { PushQueue } from './push-queue.ts';
import { PushSubscriptions } from './push-subscriptions.ts';
import { RegistrySchema } from './registry-schema.ts';
import { isInTheFuture, type Revocation, type RevocationList, type Revocations } from './revocation.ts';
import { SessionTable } from './session-table.ts';
import { ShareLinks } from './share-links.ts';
import { countOf, isoTime, momentOf, parseJson, timeOf } from './stored-values.ts';

/** A credential that has expired by the relay's clock may still be valid by another clock. */
const CLOCK_SKEW_MS = CLOCK_SKEW_MAX_S * 1000;

/** The pinned public key of the agent, and the token that brought it. */
export interface PinnedKey {
  readonly key: string;
  readonly pinnedAt: string | null;
  readonly pinnedBy: string;
}

/** Saved tabs, and when they were saved; null when none were. */
interface SavedLayout {
  readonly layout: Layout | null;
  readonly savedAt: string | null;
}

/** How often redeemed tickets that have expired are removed. */
const FORGET_TICKETS_EVERY_MS = 60_000;

export class Registry {
  readonly sessions: SessionTable;
  readonly subscriptions: PushSubscriptions;
  readonly pushes: PushQueue;
  readonly machineReport: MachineReportRow;
  readonly links: ShareLinks;
  readonly #sql: Pick<SqlStorage, 'exec'>;
  /**
   * A cache of the stored layout: every page asks for it, and parsing it would cost more than the rest of the request.
   */
  #layout: SavedLayout | undefined;
  /** When to remove expired tickets next; at the first one after every wake-up. */
  #forgetTicketsAt = 0;

  /** Never throws. An exception in the constructor on a wake-up drops every socket and makes the object unusable. */
  constructor(sql: Pick<SqlStorage, 'exec'>, now: number) {
    this.#sql = sql;
    this.sessions = new SessionTable(sql);
    this.subscriptions = new PushSubscriptions(sql);
    this.pushes = new PushQueue(sql);
    this.machineReport = new MachineReportRow(sql);
    this.links = new ShareLinks(sql);
    const schema = new RegistrySchema(sql);
    for (const attempt of schema.attempts()) {
      try {
        const { areLocksLost } = attempt();
        this.#sql.exec(`INSERT OR IGNORE INTO agent (only_row, generation, state) VALUES (1, 0, 'offline')`);
        // The revocations are lost, so every existing token is revoked. New tokens are accepted.
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

  /**
   * Starts a new agent connection. Its number is higher than every earlier one, including those that storage has lost.
   * [RL1]
   */
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
   * If `lastSeen` is null, the stored value stays. A storage error must not throw, least of all in the object's
   * constructor: an agent without a socket is offline, whether that was stored or not.
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

  /** Null when no key is pinned. A row that cannot be read still pins: no key matches it until it is reset. [AK2] */
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
      JSON.stringify(withSplits(layout, this.layout().layout)),
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

  // ── Revocations ──────────────────────────────────────────────────────────────────────────────────

  /** A link that is not known is revoked, and with it whatever it was traded for. [SL3] */
  revocations(): Revocations {
    const isListed = (jti: string) =>
      this.#sql.exec('SELECT 1 FROM revocations WHERE jti = ?', jti).toArray().length > 0;
    return {
      before: this.fact('revoked_before') ?? 0,
      names: (jti) => isListed(jti) || (isLinkId(jti) && this.links.get(jti) === undefined),
    };
  }

  /**
   * False when the list is full. A token id is kept until its token has expired, or for ever if the expiry is unknown.
   * A revocation by time cannot replace it, because the token's `iat` may be later.
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
    // SQLite's `max` is NULL if either argument is. If two tokens share an id, the one that never expires counts.
    this.#sql.exec(
      `INSERT INTO revocations (jti, recorded_at, expires_at) VALUES (?, ?, ?) ON CONFLICT (jti) DO UPDATE
       SET expires_at = max(expires_at, excluded.expires_at)`,
      revocation.jti,
      now,
      revocation.expiresAt ?? null,
    );
    return true;
  }

  /** One page of revoked token ids, in order, after `after`. */
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

  /** True the first time. Tickets that have expired need not be remembered. [GT7] */
  redeem(ticket: { readonly id: string; readonly expiresAt: number }, now: number): boolean {
    // Looks at all rows, of which there may be tens of thousands, so not for every ticket.
    if (now >= this.#forgetTicketsAt) {
      this.#sql.exec('DELETE FROM redeemed_tickets WHERE expires_at < ?', now - CLOCK_SKEW_MS);
      this.#forgetTicketsAt = now + FORGET_TICKETS_EVERY_MS;
    }
    const fresh = this.#sql.exec(
      'INSERT OR IGNORE INTO redeemed_tickets (id, expires_at) VALUES (?, ?) RETURNING id',
      ticket.id,
      ticket.expiresAt,
    );
    return fresh.toArray().length > 0;
  }

  /**
   * An earlier version accepted times far in the future, which lock out tokens not yet issued. Such a time is replaced
   * by the current one.
   */
  #unlock(now: number): void {
    const before = this.fact('revoked_before');
    if (before !== null && isInTheFuture({ before }, now)) this.setFact('revoked_before', now);
  }

  // ── Single values ────────────────────────────────────────────────────────────────────────────────

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
