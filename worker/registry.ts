/**
 * What the workspace remembers: its sessions, its tabs, the agent's last connection, and who is locked out.
 * The only file with SQL.
 *
 * Written when something begins, changes or ends, never per frame: sends wait for pending writes.
 */
import * as v from 'valibot';
import { SESSIONS_MAX } from '../protocol/limits.ts';
import {
  type AgentPresence,
  type EndReason,
  type Layout,
  layoutSchema,
  type SessionInfo,
  toldSessionSchema,
} from '../protocol/messages.ts';
import { errorName, log } from './log.ts';
import type { Revocation, Revocations } from './revocation.ts';
import { rowOf } from './session-row.ts';

/** A page that comes back within a day learns what became of its tabs. */
export const MISSING_KEPT_MS = 24 * 3_600_000;

/** As many as several pages have tabs; scripts that start a session a second and leave it must not fill the storage. */
export const MISSING_MAX = 200;

/** Beyond this many, `before` says the same in one row. */
export const REVOCATIONS_MAX = 10_000;

/** Clocks of token makers may be off by this much; a closer call does not thin out the list. */
const CLOCK_SKEW_MS = 5 * 60_000;

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
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Reads nothing, and fails when a table is not as this build needs it. */
const PROBES: Readonly<Record<string, string>> = {
  sessions: 'SELECT id, status, generation, info, missing_since FROM sessions LIMIT 0',
  agent: 'SELECT only_row, generation, epoch, state, since, last_seen FROM agent LIMIT 0',
  layout: 'SELECT only_row, tabs, saved_at FROM layout LIMIT 0',
  revocations: 'SELECT jti, recorded_at FROM revocations LIMIT 0',
  redeemed_tickets: 'SELECT id, expires_at FROM redeemed_tickets LIMIT 0',
  facts: 'SELECT name, value FROM facts LIMIT 0',
};

export class Registry {
  readonly #sql: SqlStorage;

  /** Never throws: a constructor that does, on a wake-up, drops every socket and bricks the object. */
  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    for (const attempt of [() => this.#migrate(), () => this.#migrateAgain(), () => this.#mend(now)]) {
      try {
        attempt();
        this.#sql.exec(Object.values(PROBES).join(';'));
        this.#requireTables();
        this.#sql.exec(`INSERT OR IGNORE INTO agent (only_row, generation, state) VALUES (1, 0, 'offline')`);
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

  // ── Sessions ─────────────────────────────────────────────────────────────────────────────────────

  /** Inserts or replaces; `generation` says that the agent of this connection knows the session. */
  put(session: SessionInfo, generation: number): void {
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

  /** Forgotten, unless a rule has ended it while it ran: whoever was away then is to learn why. [RL15] */
  gone(id: string, endedBy: EndReason | null, now: number): void {
    const session = this.session(id, now);
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
      .exec<{ status: string; info: string }>(
        'SELECT status, info FROM sessions WHERE missing_since IS NULL OR missing_since >= ?',
        missingToo ? now - MISSING_KEPT_MS : Number.MAX_SAFE_INTEGER,
      )
      .toArray()
      .flatMap(({ status, info }) => readSession(info, status))
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Also one that is missing, for as long as it is kept. */
  session(id: string, now: number): SessionInfo | null {
    const [row] = this.#sql
      .exec<{ status: string; info: string }>(
        'SELECT status, info FROM sessions WHERE id = ? AND (missing_since IS NULL OR missing_since >= ?)',
        id,
        now - MISSING_KEPT_MS,
      )
      .toArray();
    return row === undefined ? null : (readSession(row.info, row.status)[0] ?? null);
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

  /** False when the list is full. */
  revoke(revocation: Revocation, now: number): boolean {
    if ('before' in revocation) {
      const before = Math.max(revocation.before, this.fact('revoked_before') ?? 0);
      this.setFact('revoked_before', before);
      // Who was locked out by name before that moment is locked out by it as well.
      this.#sql.exec('DELETE FROM revocations WHERE recorded_at < ?', before - CLOCK_SKEW_MS);
      return true;
    }
    const [row] = this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM revocations').toArray();
    if ((row?.n ?? 0) >= REVOCATIONS_MAX) return false;
    this.#sql.exec('INSERT OR IGNORE INTO revocations (jti, recorded_at) VALUES (?, ?)', revocation.jti, now);
    return true;
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

/** Nothing for a row that this build can not read: it is left out of lists, and goes with the next inventory. */
function readSession(info: unknown, status: unknown): SessionInfo[] {
  const stored = parseJson(info);
  const whole = typeof stored === 'object' ? { ...stored, status } : stored;
  const session = v.safeParse(toldSessionSchema, whole);
  return session.success ? [session.output] : [];
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

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
