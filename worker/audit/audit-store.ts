/**
 * Stores the audit trail in the object's SQLite database. Apart from the registry (registry.ts), this is the only code
 * that uses SQL. Nothing in the API deletes a row; only rotation does.
 */
import * as v from 'valibot';
import { AUDIT_ACTIONS, type AuditEntry, clientKindSchema } from '../../protocol/audit.ts';
import { AUDIT_KEPT_MS } from '../../protocol/limits.ts';
import { roleSchema } from '../../protocol/roles.ts';
import { type Actor, type AuditClass, type AuditEvent, actorKey, actorText, classOf } from './audit-rules.ts';

export const AUDIT_COLUMNS = `id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, until_at INTEGER NOT NULL,
  class TEXT NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL, who TEXT, session TEXT, detail TEXT,
  count INTEGER NOT NULL`;

/** Finds the row of an event, and counts an actor's rows of the last hour. */
export const AUDIT_INDEX = 'CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor, class, at)';

export const AUDIT_PROBE =
  'SELECT id, at, until_at, class, action, actor, who, session, detail, count FROM audit LIMIT 0';

/** A row that may still accept events. */
export interface OpenRow {
  readonly id: number;
  readonly at: number;
  readonly until: number;
  readonly count: number;
}

export interface AuditQuery {
  /** Entries that ended at or after this time (ms). */
  readonly since: number;
  /** Entries with a lower id; null starts at the newest. */
  readonly before: number | null;
  readonly session: string | null;
  readonly limit: number;
}

type Row = Record<string, SqlStorageValue>;

export class AuditStore {
  readonly #sql: Pick<SqlStorage, 'exec'>;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  /** The newest row of this kind that began after `since`. */
  latest({ action, actor, session, detail }: AuditEvent, since: number): OpenRow | null {
    const [row] = this.#rows(
      `SELECT id, at, until_at, count FROM audit WHERE actor = ? AND class = ? AND at > ? AND action = ?
       AND who IS ? AND session IS ? AND detail IS ? ORDER BY id DESC LIMIT 1`,
      actorKey(actor),
      classOf(action),
      since,
      action,
      actorText(actor),
      session,
      detail,
    );
    if (row === undefined) return null;
    return { id: Number(row.id), at: Number(row.at), until: Number(row.until_at), count: Number(row.count) };
  }

  insert({ action, actor, session, detail }: AuditEvent, now: number): number {
    const [row] = this.#rows(
      `INSERT INTO audit (at, until_at, class, action, actor, who, session, detail, count)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1) RETURNING id`,
      now,
      now,
      classOf(action),
      action,
      actorKey(actor),
      actorText(actor),
      session,
      detail,
    );
    return Number(row?.id);
  }

  update(id: number, count: number, until: number): void {
    this.#sql.exec('UPDATE audit SET count = ?, until_at = ? WHERE id = ?', count, until, id);
  }

  count(kind: AuditClass): number {
    return Number(this.#rows('SELECT count(*) AS n FROM audit WHERE class = ?', kind)[0]?.n);
  }

  countSince(actor: Actor | null, kind: AuditClass, since: number): number {
    const [row] = this.#rows(
      'SELECT count(*) AS n FROM audit WHERE actor = ? AND class = ? AND at > ?',
      actorKey(actor),
      kind,
      since,
    );
    return Number(row?.n);
  }

  /**
   * Removes the oldest row of the actor with the most rows in this class, so that a flood removes its own rows first.
   * [AU4]
   */
  removeOne(kind: AuditClass): number {
    const [row] = this.#rows(
      `DELETE FROM audit WHERE id = (SELECT min(id) FROM audit WHERE class = ? GROUP BY actor
       ORDER BY count(*) DESC, min(id) LIMIT 1) RETURNING id`,
      kind,
    );
    return Number(row?.id);
  }

  removeOlderThan(moment: number): void {
    this.#sql.exec('DELETE FROM audit WHERE until_at < ?', moment);
  }

  /** Who last asked for a delayed close of this session; undefined when nobody has since then. */
  lastAsker(session: string, since: number): Actor | undefined {
    const [row] = this.#rows(
      `SELECT who FROM audit WHERE action = 'close_asked' AND session = ? AND until_at >= ?
       ORDER BY id DESC LIMIT 1`,
      session,
      since,
    );
    return readActor(row?.who) ?? undefined;
  }

  /** Newest first. Rows past the retention time are left out. */
  read({ since, before, session, limit }: AuditQuery, now: number): AuditEntry[] {
    return this.#rows(
      `SELECT id, at, until_at, action, who, session, detail, count FROM audit
       WHERE id < ?1 AND until_at >= ?2 AND (?3 IS NULL OR session = ?3) ORDER BY id DESC LIMIT ?4`,
      before ?? Number.MAX_SAFE_INTEGER,
      Math.max(since, now - AUDIT_KEPT_MS),
      session,
      limit,
    ).flatMap(readEntry);
  }

  #rows(query: string, ...bindings: SqlStorageValue[]): Row[] {
    return this.#sql.exec<Row>(query, ...bindings).toArray();
  }
}

const actorSchema = v.object({
  name: v.nullable(v.string()),
  tokenId: v.string(),
  role: roleSchema,
  client: clientKindSchema,
});

function readActor(text: unknown): v.InferOutput<typeof actorSchema> | null {
  try {
    return v.parse(actorSchema, JSON.parse(String(text)));
  } catch {
    return null;
  }
}

/** An empty list for a row that this build cannot read. */
function readEntry(row: Row): AuditEntry[] {
  const action = AUDIT_ACTIONS.find((one) => one === row.action);
  const [at, until] = [new Date(Number(row.at)), new Date(Number(row.until_at))];
  if (action === undefined || !Number.isFinite(at.getTime()) || !Number.isFinite(until.getTime())) return [];
  return [
    {
      id: Number(row.id),
      at: at.toISOString(),
      until: until.toISOString(),
      action,
      who: row.who === null ? null : readActor(row.who),
      session: row.session === null ? null : String(row.session),
      count: Number(row.count),
      detail: row.detail === null ? null : String(row.detail),
    },
  ];
}
