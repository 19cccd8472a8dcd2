/**
 * The sessions of a workspace, as its agent last described them. They are stored in SQLite, read once after a wake-up,
 * and then served from memory, because they are read far more often than they change. Each session's JSON is cached
 * until it changes: parsing and serialising a thousand rows takes a tenth of a second, during which no other workspace
 * of the isolate is served.
 */
import * as v from 'valibot';
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import { type EndReason, type SessionInfo, toldSessionSchema } from '../../protocol/messages/session-info.ts';
import { log } from '../platform/log.ts';
import { type ListedTexts, withField } from './session-lists.ts';
import { fitting, isWorthNoRow } from './session-row.ts';
import { countOf, momentOf, parseJson } from './stored-values.ts';

/** A page that returns within a day learns what became of its tabs. */
export const MISSING_KEPT_MS = 24 * 3_600_000;

/**
 * As many as several pages have tabs. Scripts that start a session a second and abandon it must not fill the storage.
 */
export const MISSING_MAX = 200;

interface SessionQuery {
  /** Also sessions that are lost or that a rule has ended: a page asks about its tabs. */
  readonly missingToo: boolean;
  readonly now: number;
}

interface Row {
  readonly id: string;
  status: SessionInfo['status'] | string;
  generation: number;
  /**
   * The stored description. Null when this build cannot read it: the session is then in no list, and the next inventory
   * removes it.
   */
  written: SessionInfo | null | 'unread';
  info: string;
  /** Newer than the stored description, but not different enough to be written. An eviction may lose it. */
  newer: SessionInfo | null;
  missingSince: number | null;
  handle: number | null;
  typedBy: string | null;
  typedAt: number | null;
  /** The JSON used in lists; undefined after a change. */
  json: string | undefined;
}

export class SessionTable {
  readonly #sql: Pick<SqlStorage, 'exec'>;
  #rows: Map<string, Row> | undefined;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  // ── Reading ──────────────────────────────────────────────────────────────────────────────────────

  /** Oldest first. */
  list(query: SessionQuery): SessionInfo[] {
    return this.#listed(query).map(({ session }) => session);
  }

  /** The same as JSON, one text for each session. */
  texts(query: SessionQuery & ListedTexts): string[] {
    return this.#listed(query)
      .filter(({ session }) => query.only === undefined || session.id === query.only)
      .filter(({ session }) => query.key == null || session.key === query.key)
      .map(({ row, session }) => {
        row.json ??= JSON.stringify(session);
        return withField(row.json, query.field?.(session.id));
      });
  }

  /** The number of all stored sessions, missing ones included. */
  get size(): number {
    return this.#all().size;
  }

  has(id: string): boolean {
    return this.#all().has(id);
  }

  /** Also finds a missing session, as long as it is kept. */
  get(id: string, now: number): SessionInfo | null {
    const row = this.#all().get(id);
    return row === undefined || !isKept(row, now) ? null : described(row);
  }

  sessionWithHandle(handle: number): string | null {
    for (const row of this.#all().values())
      if (row.handle === handle && row.missingSince === null) return row.id;
    return null;
  }

  /** Null until somebody has attached to the session, and for an unknown one. */
  handleOf(id: string): number | null {
    const row = this.#all().get(id);
    return row === undefined || row.missingSince !== null ? null : row.handle;
  }

  /** Counts sessions that are not missing. */
  counts(): { readonly running: number; readonly orphaned: number; readonly exited: number } {
    const there = [...this.#all().values()].filter(isThere);
    const running = there.filter(({ status }) => status === 'running');
    const orphaned = running.filter((row) => described(row)?.attached === 0);
    return { running: running.length, orphaned: orphaned.length, exited: there.length - running.length };
  }

  /** Whether the number of sessions that are not missing has reached the limit. */
  isFull(): boolean {
    let there = 0;
    for (const row of this.#all().values()) if (isThere(row)) there++;
    return there >= SESSIONS_MAX;
  }

  /** The generation of the newest agent connection that described any session. */
  lastGeneration(): number {
    return Math.max(0, ...[...this.#all().values()].map(({ generation }) => generation));
  }

  #listed({ missingToo, now }: SessionQuery): { readonly row: Row; readonly session: SessionInfo }[] {
    const listed = [];
    for (const row of this.#all().values()) {
      if (missingToo ? !isKept(row, now) : !isThere(row)) continue;
      const session = described(row);
      if (session !== null) listed.push({ row, session });
    }
    return listed.sort((a, b) => compare(a.session.createdAt, b.session.createdAt));
  }

  // ── Writing ──────────────────────────────────────────────────────────────────────────────────────

  /**
   * Inserts or replaces; `generation` records that the agent of this connection knows the session. Writes only changes
   * that are worth a row. Fields that change all the time are kept in memory.
   */
  put({ keyboard: _, ...told }: SessionInfo, generation: number): void {
    const known = this.#all().get(told.id);
    if (known !== undefined && isThere(known) && known.generation === generation) {
      const written = writtenOf(known);
      if (known.status === told.status && written !== null && isWorthNoRow(written, told)) {
        known.newer = told;
        known.json = undefined;
        return;
      }
    }
    // A missing session that returns counts against the limit again.
    if ((known === undefined || !isThere(known)) && this.isFull())
      return log('warn', 'session_limit', { sessions: SESSIONS_MAX });
    const session = fitting(told);
    const info = JSON.stringify(session);
    this.#sql.exec(
      `INSERT INTO sessions (status, generation, info, id) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
       SET status = excluded.status, generation = excluded.generation, info = excluded.info, missing_since = NULL`,
      session.status,
      generation,
      info,
      session.id,
    );
    const { handle = null, typedBy = null, typedAt = null } = known ?? {};
    this.#all().set(session.id, {
      ...{ id: session.id, status: session.status, generation, written: session, info },
      ...{ newer: null, missingSince: null, handle, typedBy, typedAt, json: undefined },
    });
  }

  /** Forgets the session, unless a rule ended it while it ran: a client that was away should learn why. [RL15] */
  gone(id: string, endedBy: EndReason | null, now: number): void {
    const row = this.#all().get(id);
    const session = this.get(id, now);
    if (row === undefined || session === null || endedBy === null || session.status !== 'running') {
      this.#sql.exec('DELETE FROM sessions WHERE id = ?', id);
      this.#all().delete(id);
      return;
    }
    const { typedBy: _by, typedAt: _at, ...rest } = session;
    const ended = fitting({ ...rest, status: 'exited', attached: 0, endedBy });
    const info = JSON.stringify(ended);
    const sql = 'UPDATE sessions SET status = ?, info = ?, missing_since = ? WHERE id = ?';
    this.#sql.exec(sql, ended.status, info, now, id);
    Object.assign(row, { status: ended.status, written: ended, info, newer: null, json: undefined });
    row.missingSince = now;
    this.#forget(now);
  }

  /** The inventory is complete: sessions that it does not name are lost, unless they were known to have ended. [RL6] */
  reconcile(generation: number, now: number): void {
    this.#sql.exec(
      `UPDATE sessions SET missing_since = ?, status = CASE status WHEN 'exited' THEN 'exited' ELSE 'lost' END
       WHERE generation <> ? AND missing_since IS NULL`,
      now,
      generation,
    );
    for (const row of this.#all().values()) {
      row.newer = null;
      row.json = undefined;
      if (row.generation === generation || !isThere(row)) continue;
      row.missingSince = now;
      if (row.status !== 'exited') row.status = 'lost';
    }
    this.#forget(now);
  }

  /**
   * Input frames name a session by its handle. The agent's answer to an attach tells which session that is. False if the
   * agent says something else than before, which it may only do in a new epoch: keys of people would be recorded for
   * sessions in which they did not type. [AU5]
   */
  learnHandle(id: string, handle: number): boolean {
    const row = this.#all().get(id);
    if (row === undefined || row.handle === handle) return true;
    if (row.handle !== null || this.sessionWithHandle(handle) !== null) return false;
    this.#sql.exec('UPDATE sessions SET handle = ? WHERE id = ?', handle, id);
    row.handle = handle;
    return true;
  }

  /** In a new epoch of the agent, handles may mean other sessions. */
  forgetHandles(): void {
    this.#sql.exec('UPDATE sessions SET handle = NULL WHERE handle IS NOT NULL');
    for (const row of this.#all().values()) row.handle = null;
  }

  typedLast(id: string, name: string, at: number): void {
    const row = this.#all().get(id);
    if (row === undefined) return;
    this.#sql.exec('UPDATE sessions SET typed_by = ?, typed_at = ? WHERE id = ?', name, at, id);
    Object.assign(row, { typedBy: name, typedAt: at, json: undefined });
  }

  /** Removes sessions that were missing for too long, and the oldest of the rest when there are too many. */
  #forget(now: number): void {
    const missing = [...this.#all().values()].filter((row) => !isThere(row));
    // Of sessions that went missing at the same time, the one created last is kept longest.
    const newestFirst = missing.reverse().sort((a, b) => (b.missingSince ?? 0) - (a.missingSince ?? 0));
    for (const [place, row] of newestFirst.entries()) {
      if (place < MISSING_MAX && isKept(row, now)) continue;
      this.#sql.exec('DELETE FROM sessions WHERE id = ?', row.id);
      this.#all().delete(row.id);
    }
  }

  #all(): Map<string, Row> {
    this.#rows ??= new Map(
      this.#sql
        .exec<Record<string, SqlStorageValue>>(
          `SELECT id, status, generation, info, missing_since, handle, typed_by, typed_at FROM sessions ORDER BY rowid`,
        )
        .toArray()
        .map(rowOf)
        .map((row) => [row.id, row]),
    );
    return this.#rows;
  }
}

function rowOf(stored: Record<string, SqlStorageValue>): Row {
  const numberOf = (value: SqlStorageValue | undefined) => (typeof value === 'number' ? value : null);
  return {
    id: String(stored.id),
    status: String(stored.status),
    generation: countOf(stored.generation),
    written: 'unread',
    info: String(stored.info),
    newer: null,
    missingSince: numberOf(stored.missing_since),
    handle: numberOf(stored.handle),
    typedBy: typeof stored.typed_by === 'string' ? stored.typed_by : null,
    typedAt: numberOf(stored.typed_at),
    json: undefined,
  };
}

const isThere = (row: Row): boolean => row.missingSince === null;

const isKept = (row: Row, now: number): boolean =>
  row.missingSince === null || row.missingSince >= now - MISSING_KEPT_MS;

/** Parses a stored description when it is first needed: most wake-ups need none. */
function writtenOf(row: Row): SessionInfo | null {
  if (row.written !== 'unread') return row.written;
  const stored = parseJson(row.info);
  const whole = typeof stored === 'object' ? { ...stored, status: row.status } : stored;
  const session = v.safeParse(toldSessionSchema, whole);
  row.written = session.success ? session.output : null;
  return row.written;
}

/** The latest description, which may be newer than the stored one, with its status and who typed last. */
function described(row: Row): SessionInfo | null {
  const session = row.newer ?? writtenOf(row);
  if (session === null) return null;
  const typedAt = momentOf(row.typedAt);
  const typed = row.typedBy === null || typedAt === null ? {} : { typedBy: row.typedBy, typedAt };
  return { ...session, status: row.status as SessionInfo['status'], ...typed };
}

/** ISO 8601 times sort as text. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
