/**
 * What the workspace remembers: its sessions, its tabs, the agent's last connection, and who is locked out.
 * The only file with SQL, but for audit/audit-store.ts.
 *
 * Written when something begins, changes or ends, never per frame: sends wait for pending writes.
 */
import * as v from 'valibot';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX, REVOCATIONS_PAGE_MAX, SESSIONS_MAX } from '../protocol/limits.ts';
import {
  type AgentPresence,
  type EndReason,
  type Layout,
  layoutSchema,
  type SessionInfo,
  toldSessionSchema,
} from '../protocol/messages.ts';
import { AUDIT_COLUMNS, AUDIT_INDEX, AUDIT_PROBE } from './audit/audit-store.ts';
import { errorName, log } from './log.ts';
import { isInTheFuture, type Revocation, type RevocationList, type Revocations } from './revocation.ts';
import { isWorthNoRow, rowOf } from './session-row.ts';

/** A page that comes back within a day learns what became of its tabs. */
export const MISSING_KEPT_MS = 24 * 3_600_000;

/** As many as several pages have tabs; scripts that start a session a second and leave it must not fill the storage. */
export const MISSING_MAX = 200;

/** What has expired by the relay's clock may still be shown to it by another's. */
const CLOCK_SKEW_MS = CLOCK_SKEW_MAX_S * 1000;

type Step = (sql: SqlStorage) => void;

const table =
  (name: string, columns: string): Step =>
  (sql) =>
    sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);

/** SQLite has no ADD COLUMN IF NOT EXISTS. */
const column =
  (of: string, name: string, type: string): Step =>
  (sql) => {
    const there = sql.exec('SELECT 1 FROM pragma_table_info(?) WHERE name = ?', of, name).toArray();
    if (there.length === 0) sql.exec(`ALTER TABLE ${of} ADD COLUMN ${name} ${type}`);
  };

/**
 * Forward only, in order; the position of a step is the version it leads to. A step only adds, and succeeds on
 * whatever it or a later one has left behind, so running one twice does no harm.
 */
const MIGRATIONS: readonly Step[] = [
  table(
    'sessions',
    'id TEXT PRIMARY KEY, status TEXT NOT NULL, generation INTEGER NOT NULL, info TEXT NOT NULL',
  ),
  table(
    'agent',
    `only_row INTEGER PRIMARY KEY CHECK (only_row = 1), generation INTEGER NOT NULL, epoch TEXT,
     state TEXT NOT NULL, since TEXT`,
  ),
  () => {}, // was the agent's one row, which is now made sure of at every start
  column('sessions', 'missing_since', 'INTEGER'),
  (sql) =>
    sql.exec(`UPDATE sessions SET missing_since = unixepoch() * 1000
              WHERE status = 'lost' AND missing_since IS NULL`),
  column('agent', 'last_seen', 'TEXT'),
  table(
    'layout',
    'only_row INTEGER PRIMARY KEY CHECK (only_row = 1), tabs TEXT NOT NULL, saved_at TEXT NOT NULL',
  ),
  table('revocations', 'jti TEXT PRIMARY KEY, recorded_at INTEGER NOT NULL'),
  table('redeemed_tickets', 'id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL'),
  table('facts', 'name TEXT PRIMARY KEY, value INTEGER NOT NULL'),
  table(
    'agent_key',
    `only_row INTEGER PRIMARY KEY CHECK (only_row = 1), key TEXT NOT NULL, pinned_at TEXT NOT NULL,
     pinned_by TEXT NOT NULL`,
  ),
  table('audit', AUDIT_COLUMNS),
  (sql) => sql.exec(AUDIT_INDEX),
  column('sessions', 'handle', 'INTEGER'),
  column('sessions', 'typed_by', 'TEXT'),
  column('sessions', 'typed_at', 'INTEGER'),
  column('revocations', 'expires_at', 'INTEGER'),
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Reads nothing, and fails when a table is not as this build needs it. */
const PROBES: Readonly<Record<string, string>> = {
  sessions:
    'SELECT id, status, generation, info, missing_since, handle, typed_by, typed_at FROM sessions LIMIT 0',
  agent: 'SELECT only_row, generation, epoch, state, since, last_seen FROM agent LIMIT 0',
  layout: 'SELECT only_row, tabs, saved_at FROM layout LIMIT 0',
  revocations: 'SELECT jti, recorded_at, expires_at FROM revocations LIMIT 0',
  redeemed_tickets: 'SELECT id, expires_at FROM redeemed_tickets LIMIT 0',
  facts: 'SELECT name, value FROM facts LIMIT 0',
  agent_key: 'SELECT only_row, key, pinned_at, pinned_by FROM agent_key LIMIT 0',
  audit: AUDIT_PROBE,
};

/** The public key that the workspace knows its agent by, and which token brought it. */
export interface PinnedKey {
  readonly key: string;
  readonly pinnedAt: string | null;
  readonly pinnedBy: string;
}

export class Registry {
  readonly #sql: SqlStorage;
  /** Newer descriptions than those written, which differ in nothing worth a row; an eviction may empty it. */
  readonly #unwritten = new Map<string, SessionInfo>();

  /** Never throws: a constructor that does, on a wake-up, drops every socket and bricks the object. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    for (const attempt of [() => this.#migrate(), () => this.#migrateAgain(), () => this.#mend(now)]) {
      try {
        attempt();
        this.#sql.exec(Object.values(PROBES).join(';'));
        this.#requireTables();
        this.#sql.exec(`INSERT OR IGNORE INTO agent (only_row, generation, state) VALUES (1, 0, 'offline')`);
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
    const [marked] = this.#sql
      .exec<{ last: SqlStorageValue }>('SELECT max(CAST(generation AS INTEGER)) AS last FROM sessions')
      .toArray();
    const generation = Math.max(this.agent().generation, atLeast, countOf(marked?.last)) + 1;
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

  /** Null when none is pinned. A row that can not be read still pins: it is no key's, until it is reset. [AK2] */
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

  // ── Sessions ─────────────────────────────────────────────────────────────────────────────────────

  /**
   * Inserts or replaces; `generation` says that the agent of this connection knows the session. Written only when
   * something has changed that is worth a row; what changes all the time is remembered while this object lives.
   */
  put(session: SessionInfo, generation: number): void {
    if (this.#isWritten(session, generation)) return void this.#unwritten.set(session.id, session);
    this.#unwritten.delete(session.id);
    const values = [session.status, generation, rowOf(session), session.id];
    const known = this.#sql.exec(
      'UPDATE sessions SET status = ?, generation = ?, info = ? WHERE id = ? AND missing_since IS NULL RETURNING id',
      ...values,
    );
    if (known.toArray().length > 0) return;
    if (this.isFull()) return log('warn', 'session_limit', { sessions: SESSIONS_MAX });
    // One that was missing is so no more.
    this.#sql.exec(
      `INSERT INTO sessions (status, generation, info, id) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
       SET status = excluded.status, generation = excluded.generation, info = excluded.info, missing_since = NULL`,
      ...values,
    );
  }

  #isWritten(session: SessionInfo, generation: number): boolean {
    const [row] = this.#sql
      .exec<{ info: string }>(
        'SELECT info FROM sessions WHERE id = ? AND status = ? AND generation = ? AND missing_since IS NULL',
        session.id,
        session.status,
        generation,
      )
      .toArray();
    const [written] =
      row === undefined
        ? []
        : readSession({ info: row.info, status: session.status, typed_by: null, typed_at: null });
    return written !== undefined && isWorthNoRow(written, session);
  }

  /** Forgotten, unless a rule has ended it while it ran: whoever was away then is to learn why. [RL15] */
  gone(id: string, endedBy: EndReason | null, now: number): void {
    const session = this.session(id, now);
    this.#unwritten.delete(id);
    if (endedBy === null || session?.status !== 'running') {
      this.#sql.exec('DELETE FROM sessions WHERE id = ?', id);
      return;
    }
    const ended: SessionInfo = { ...session, status: 'exited', attached: 0, endedBy };
    this.#sql.exec(
      'UPDATE sessions SET status = ?, info = ?, missing_since = ? WHERE id = ?',
      ended.status,
      rowOf(ended),
      now,
      id,
    );
    this.#forget(now);
  }

  /** Whether those there are, and not those that are remembered, are as many as may be. */
  isFull(): boolean {
    const [row] = this.#sql
      .exec<{ n: number }>('SELECT count(*) AS n FROM sessions WHERE missing_since IS NULL')
      .toArray();
    return (row?.n ?? 0) >= SESSIONS_MAX;
  }

  /** The inventory is complete: what it does not name is lost, unless it was known to have ended. [RL6] */
  reconcile(generation: number, now: number): void {
    this.#unwritten.clear();
    this.#sql.exec(
      `UPDATE sessions SET missing_since = ?, status = CASE status WHEN 'exited' THEN 'exited' ELSE 'lost' END
       WHERE generation <> ? AND missing_since IS NULL`,
      now,
      generation,
    );
    this.#forget(now);
  }

  /** What has been missing for too long; and of the rest the oldest, when they are too many. */
  #forget(now: number): void {
    this.#sql.exec('DELETE FROM sessions WHERE missing_since < ?', now - MISSING_KEPT_MS);
    this.#sql.exec(
      `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE missing_since IS NOT NULL
       ORDER BY missing_since DESC, rowid DESC LIMIT -1 OFFSET ?)`,
      MISSING_MAX,
    );
  }

  /** Oldest first. Those the agent came back without, or a rule has ended, are kept for a page that asks after its tabs. */
  sessions({ missingToo, now }: { readonly missingToo: boolean; readonly now: number }): SessionInfo[] {
    return this.#sql
      .exec<SessionColumns>(
        `SELECT status, info, typed_by, typed_at FROM sessions
         WHERE missing_since IS NULL OR missing_since >= ?`,
        missingToo ? now - MISSING_KEPT_MS : Number.MAX_SAFE_INTEGER,
      )
      .toArray()
      .flatMap(readSession)
      .map((session) => this.#newest(session))
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Of those that are there. Counted by the database: reading a thousand descriptions takes a tenth of a second. */
  counts(): { readonly running: number; readonly orphaned: number; readonly exited: number } {
    const [row] = this.#sql
      .exec<Record<'running' | 'orphaned' | 'others', SqlStorageValue>>(
        `SELECT sum(status = 'running') AS running, sum(status <> 'running') AS others,
         sum(status = 'running' AND json_valid(info) AND json_extract(info, '$.attached') = 0) AS orphaned
         FROM sessions WHERE missing_since IS NULL`,
      )
      .toArray();
    return { running: countOf(row?.running), orphaned: countOf(row?.orphaned), exited: countOf(row?.others) };
  }

  /** Also one that is missing, for as long as it is kept. */
  session(id: string, now: number): SessionInfo | null {
    const [row] = this.#sql
      .exec<SessionColumns>(
        `SELECT status, info, typed_by, typed_at FROM sessions
         WHERE id = ? AND (missing_since IS NULL OR missing_since >= ?)`,
        id,
        now - MISSING_KEPT_MS,
      )
      .toArray();
    const [session] = row === undefined ? [] : readSession(row);
    return session === undefined ? null : this.#newest(session);
  }

  /** What was told last of a session, which may be newer than what is written; who typed last is only written. */
  #newest(stored: SessionInfo): SessionInfo {
    const newer = this.#unwritten.get(stored.id);
    if (newer === undefined) return stored;
    const { typedBy, typedAt } = stored;
    return { ...newer, ...(typedBy === undefined ? {} : { typedBy, typedAt }) };
  }

  // ── Who types ────────────────────────────────────────────────────────────────────────────────────

  /** Input frames name a session by its handle; the agent's answer to an attach has told which it is. */
  learnHandle(id: string, handle: number): void {
    this.#sql.exec('UPDATE sessions SET handle = ? WHERE id = ? AND handle IS NOT ?', handle, id, handle);
  }

  sessionWithHandle(handle: number): string | null {
    const [row] = this.#sql
      .exec<{ id: string }>('SELECT id FROM sessions WHERE handle = ? AND missing_since IS NULL', handle)
      .toArray();
    return row?.id ?? null;
  }

  typedLast(id: string, name: string, at: number): void {
    this.#sql.exec('UPDATE sessions SET typed_by = ?, typed_at = ? WHERE id = ?', name, at, id);
  }

  // ── Tabs ─────────────────────────────────────────────────────────────────────────────────────────

  saveLayout(layout: Layout, now: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO layout (only_row, tabs, saved_at) VALUES (1, ?, ?)',
      JSON.stringify(layout),
      isoTime(now),
    );
  }

  layout(): { readonly layout: Layout | null; readonly savedAt: string | null } {
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

  /** True the first time. What can not be redeemed any more need not be remembered. [GT7] */
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

  // ── Schema ───────────────────────────────────────────────────────────────────────────────────────

  #migrate(): void {
    this.#sql.exec('CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL)');
    const [row] = this.#sql
      .exec<{ version: SqlStorageValue }>('SELECT max(version) AS version FROM schema')
      .toArray();
    const version = countOf(row?.version);
    // A newer build was here: it has only added, so what we need is there. Its version stays written.
    if (version >= SCHEMA_VERSION) return;
    this.#run(MIGRATIONS.slice(version));
  }

  /** The version was not the truth. Steps can run twice, so run them all. */
  #migrateAgain(): void {
    this.#run(MIGRATIONS);
  }

  /** A table that no version of ours made is in the way; the agent's inventory brings back what counts. */
  #mend(now: number): void {
    let locksLost = false;
    // One table that is in the way must not cost another what it is only missing.
    for (const step of MIGRATIONS) {
      try {
        step(this.#sql);
      } catch {
        // of the table that is in the way
      }
    }
    for (const [name, probe] of Object.entries(PROBES)) {
      const [found] = this.#sql
        .exec<{ type: string }>('SELECT type FROM sqlite_master WHERE name = ?', name)
        .toArray();
      if (found === undefined || (found.type === 'table' && this.#answers(probe))) continue;
      log('error', 'table_dropped', { code: name });
      this.#sql.exec(`DROP ${found.type} ${name}`);
      locksLost ||= name === 'revocations' || name === 'facts';
    }
    this.#run(MIGRATIONS);
    // Who was locked out is not known any more, so everybody is: new tokens get in.
    if (locksLost) this.setFact('revoked_before', now);
  }

  /** A view answers a probe as well, and takes nothing. */
  #requireTables(): void {
    const tables = this.#sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    const names = new Set(tables.toArray().map(({ name }) => name));
    if (!Object.keys(PROBES).every((name) => names.has(name))) throw new Error('a table is something else');
  }

  #answers(probe: string): boolean {
    try {
      this.#sql.exec(probe);
      return true;
    } catch {
      return false;
    }
  }

  #run(steps: readonly Step[]): void {
    for (const step of steps) step(this.#sql);
    this.#sql.exec('DELETE FROM schema');
    this.#sql.exec('INSERT INTO schema (version) VALUES (?)', SCHEMA_VERSION);
  }
}

type SessionColumns = Record<'status' | 'info' | 'typed_by' | 'typed_at', SqlStorageValue>;

/** Nothing for a row that this build can not read: it is left out of lists, and goes with the next inventory. */
function readSession({ info, status, typed_by, typed_at }: SessionColumns): SessionInfo[] {
  const stored = parseJson(info);
  const at = new Date(Number(typed_at));
  const isTyped =
    typeof typed_by === 'string' && typeof typed_at === 'number' && Number.isFinite(at.getTime());
  const typed = isTyped ? { typedBy: typed_by, typedAt: at.toISOString() } : {};
  const whole = typeof stored === 'object' ? { ...stored, status } : stored;
  const session = v.safeParse(toldSessionSchema, whole);
  return session.success ? [{ ...session.output, ...typed }] : [];
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

const timeOf = (value: unknown): string | null =>
  typeof value === 'string' && Number.isFinite(Date.parse(value)) ? isoTime(Date.parse(value)) : null;

/** A time that is stored as a number; null for none, and for what no version of ours wrote. */
const momentOf = (value: unknown): string | null =>
  typeof value === 'number' && Math.abs(value) <= 8.64e15 ? isoTime(value) : null;

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
