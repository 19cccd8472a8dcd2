/**
 * The machines of the fleet in SQLite: those that have joined, what each last reported, and the names that the owner
 * gave them. Rules FL3 and FL5.
 */
import { FLEET_MACHINES_MAX, FLEET_UNINVITED_KEPT_MS } from '../../protocol/limits.ts';
import type { MachineReport } from './machine-report.ts';

/** A machine that came by an invite. */
export interface JoinedMachine {
  /** Also the name of its workspace. */
  readonly name: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970, as all times here. */
  readonly joinedAt: number;
  /** The token that it got, for a revocation. */
  readonly tokenId: string;
  readonly tokenExpiresAt: number;
}

/** Any machine of the list. */
export interface ListedMachine {
  readonly name: string;
  /** What the owner calls it. */
  readonly label: string | null;
  /** Null for a machine that was given a token. */
  readonly joined: Pick<JoinedMachine, 'fingerprint' | 'joinedAt'> | null;
  /** Null until it has connected. */
  readonly report: MachineReport | null;
}

type Sql = Pick<SqlStorage, 'exec'>;
type Row = Record<string, SqlStorageValue>;

const LISTED = `SELECT names.name AS name, label, fingerprint, joined_at, is_online, since, last_seen, sessions,
    attention_state, attention_count, version
  FROM (SELECT name FROM machines UNION SELECT name FROM reports) AS names
  LEFT JOIN machines USING (name) LEFT JOIN reports USING (name) LEFT JOIN labels USING (name)`;

export class MachineTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS machines
      (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, joined_at INTEGER NOT NULL, token_id TEXT NOT NULL,
       token_expires_at INTEGER NOT NULL)`);
    sql.exec(`CREATE TABLE IF NOT EXISTS reports
      (name TEXT PRIMARY KEY, number INTEGER NOT NULL, is_online INTEGER NOT NULL, since INTEGER, last_seen INTEGER,
       sessions INTEGER NOT NULL, attention_state TEXT, attention_count INTEGER, version TEXT)`);
    sql.exec('CREATE TABLE IF NOT EXISTS labels (name TEXT PRIMARY KEY, label TEXT NOT NULL)');
  }

  list(now: number): ListedMachine[] {
    this.#forgetUninvited(now);
    return this.#rows(`${LISTED} ORDER BY name`).map(listedOf);
  }

  /** Null when the list has no such machine. */
  get(name: string): ListedMachine | null {
    const [row] = this.#rows(`${LISTED} WHERE names.name = ?`, name);
    return row === undefined ? null : listedOf(row);
  }

  joined(name: string): JoinedMachine | null {
    const [row] = this.#rows('SELECT * FROM machines WHERE name = ?', name);
    return row === undefined ? null : joinedOf(row);
  }

  /** Machines that nobody invited take no place from those that were. */
  hasRoomFor(name: string): boolean {
    return this.joined(name) !== null || this.#count('machines') < FLEET_MACHINES_MAX;
  }

  keep({ name, fingerprint, joinedAt, tokenId, tokenExpiresAt }: JoinedMachine): void {
    const isNew = this.get(name) === null;
    if (isNew && this.#listed() >= FLEET_MACHINES_MAX) this.#dropUninvited();
    this.#sql.exec(
      `INSERT OR REPLACE INTO machines (name, fingerprint, joined_at, token_id, token_expires_at)
       VALUES (?, ?, ?, ?, ?)`,
      ...[name, fingerprint, joinedAt, tokenId, tokenExpiresAt],
    );
  }

  forget(name: string): void {
    for (const table of ['machines', 'reports', 'labels'])
      this.#sql.exec(`DELETE FROM ${table} WHERE name = ?`, name);
  }

  /** Null: it is called by its own name again. */
  rename(name: string, label: string | null): void {
    if (label === null) this.#sql.exec('DELETE FROM labels WHERE name = ?', name);
    else this.#sql.exec('INSERT OR REPLACE INTO labels (name, label) VALUES (?, ?)', name, label);
  }

  /** False when the list stays as it was: there is a newer report, or no place. */
  report(name: string, number: number, report: MachineReport, now: number): boolean {
    const [known] = this.#rows('SELECT number FROM reports WHERE name = ?', name);
    if (known !== undefined && Number(known.number) >= number) return false;
    if (known === undefined && this.joined(name) === null && !this.#mayEnter(report, now)) return false;
    const { isOnline, since, lastSeen, sessions, attention, version } = report;
    this.#sql.exec(
      `INSERT OR REPLACE INTO reports
       (name, number, is_online, since, last_seen, sessions, attention_state, attention_count, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[name, number, isOnline ? 1 : 0, since, lastSeen, sessions],
      ...[attention?.state ?? null, attention?.count ?? null, version],
    );
    return true;
  }

  /** A machine that nobody invited enters the list when it connects, never when it leaves: it may have been removed. */
  #mayEnter({ isOnline }: MachineReport, now: number): boolean {
    if (!isOnline) return false;
    this.#forgetUninvited(now);
    return this.#listed() < FLEET_MACHINES_MAX || this.#dropUninvited('is_online = 0');
  }

  #forgetUninvited(now: number): void {
    const gone = this.#rows(
      `SELECT name FROM reports WHERE is_online = 0 AND coalesce(last_seen, since, 0) < ?
       AND name NOT IN (SELECT name FROM machines)`,
      now - FLEET_UNINVITED_KEPT_MS,
    );
    for (const { name } of gone) this.forget(String(name));
  }

  /** Makes room: of those that nobody invited, the one that was away for the longest time goes. */
  #dropUninvited(which = 'TRUE'): boolean {
    const [row] = this.#rows(
      `SELECT name FROM reports WHERE ${which} AND name NOT IN (SELECT name FROM machines)
       ORDER BY is_online, coalesce(last_seen, since, 0), name LIMIT 1`,
    );
    if (row !== undefined) this.forget(String(row.name));
    return row !== undefined;
  }

  #listed(): number {
    const sql = 'SELECT count(*) AS count FROM (SELECT name FROM machines UNION SELECT name FROM reports)';
    return Number(this.#rows(sql)[0]?.count);
  }

  #count(table: 'machines'): number {
    return Number(this.#rows(`SELECT count(*) AS count FROM ${table}`)[0]?.count);
  }

  #rows(sql: string, ...bindings: SqlStorageValue[]): Row[] {
    return this.#sql.exec<Row>(sql, ...bindings).toArray();
  }
}

const timeOf = (value: SqlStorageValue | undefined): number | null =>
  typeof value === 'number' ? value : null;

const joinedOf = ({ name, fingerprint, joined_at, token_id, token_expires_at }: Row): JoinedMachine => ({
  name: String(name),
  fingerprint: String(fingerprint),
  joinedAt: Number(joined_at),
  tokenId: String(token_id),
  tokenExpiresAt: Number(token_expires_at),
});

const listedOf = (row: Row): ListedMachine => ({
  name: String(row.name),
  label: typeof row.label === 'string' ? row.label : null,
  joined:
    row.joined_at === null ? null : { fingerprint: String(row.fingerprint), joinedAt: Number(row.joined_at) },
  report: row.is_online === null ? null : reportOf(row),
});

const reportOf = (row: Row): MachineReport => ({
  isOnline: row.is_online === 1,
  since: timeOf(row.since),
  lastSeen: timeOf(row.last_seen),
  sessions: Number(row.sessions),
  attention: attentionIn(row),
  version: typeof row.version === 'string' ? row.version : null,
});

function attentionIn({ attention_state: state, attention_count: count }: Row): MachineReport['attention'] {
  if (state !== 'asks' && state !== 'failed' && state !== 'done') return null;
  return { state, count: Number(count) };
}
