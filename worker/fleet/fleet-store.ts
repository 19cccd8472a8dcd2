/**
 * What the fleet remembers in SQLite: machines that have joined, and codes that were given away and not used yet. All
 * SQL of the fleet.
 */
import { FLEET_MACHINES_MAX } from '../../protocol/limits.ts';

export interface KeptCode {
  /** Not the code: whoever reads the storage cannot use it. */
  readonly id: string;
  readonly kind: 'invite' | 'owner link';
  /** For an invite: the only machine it is for; null for any new one. */
  readonly machine: string | null;
  /** Milliseconds since 1970, as all times here. */
  readonly expiresAt: number;
}

export interface Machine {
  /** Also the name of its workspace. */
  readonly name: string;
  readonly fingerprint: string;
  readonly joinedAt: number;
  /** The token that it got, for a revocation. */
  readonly tokenId: string;
  readonly tokenExpiresAt: number;
}

type Sql = Pick<SqlStorage, 'exec'>;

export class FleetStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS codes
      (id TEXT PRIMARY KEY, kind TEXT NOT NULL, machine TEXT, expires_at INTEGER NOT NULL)`);
    sql.exec(`CREATE TABLE IF NOT EXISTS machines
      (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, joined_at INTEGER NOT NULL, token_id TEXT NOT NULL,
       token_expires_at INTEGER NOT NULL)`);
  }

  /** False when there are `most` or more that have not expired. */
  keepCode({ id, kind, machine, expiresAt }: KeptCode, most: number, now: number): boolean {
    this.#sql.exec('DELETE FROM codes WHERE expires_at <= ?', now);
    if (this.#count('codes') >= most) return false;
    this.#sql.exec(
      'INSERT INTO codes (id, kind, machine, expires_at) VALUES (?, ?, ?, ?)',
      ...[id, kind, machine, expiresAt],
    );
    return true;
  }

  /** Uses a code up. Null if it was used before, taken back, or has expired. */
  takeCode(id: string, kind: KeptCode['kind'], now: number): KeptCode | null {
    const [row] = this.#sql.exec('SELECT * FROM codes WHERE id = ? AND kind = ?', id, kind).toArray();
    if (row === undefined) return null;
    this.#sql.exec('DELETE FROM codes WHERE id = ?', id);
    const code = codeOf(row);
    return code.expiresAt > now ? code : null;
  }

  invites(now: number): KeptCode[] {
    return this.#sql
      .exec("SELECT * FROM codes WHERE kind = 'invite' AND expires_at > ? ORDER BY expires_at, id", now)
      .toArray()
      .map(codeOf);
  }

  machines(): Machine[] {
    return this.#sql.exec('SELECT * FROM machines ORDER BY name').toArray().map(machineOf);
  }

  machine(name: string): Machine | null {
    const [row] = this.#sql.exec('SELECT * FROM machines WHERE name = ?', name).toArray();
    return row === undefined ? null : machineOf(row);
  }

  hasRoomFor(name: string): boolean {
    return this.machine(name) !== null || this.#count('machines') < FLEET_MACHINES_MAX;
  }

  keepMachine({ name, fingerprint, joinedAt, tokenId, tokenExpiresAt }: Machine): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO machines (name, fingerprint, joined_at, token_id, token_expires_at)
       VALUES (?, ?, ?, ?, ?)`,
      ...[name, fingerprint, joinedAt, tokenId, tokenExpiresAt],
    );
  }

  forgetMachine(name: string): void {
    this.#sql.exec('DELETE FROM machines WHERE name = ?', name);
  }

  #count(table: 'codes' | 'machines'): number {
    return Number(this.#sql.exec(`SELECT count(*) AS count FROM ${table}`).one().count);
  }
}

type Row = Record<string, SqlStorageValue>;

const codeOf = ({ id, kind, machine, expires_at }: Row): KeptCode => ({
  id: String(id),
  kind: kind === 'invite' ? 'invite' : 'owner link',
  machine: machine === null ? null : String(machine),
  expiresAt: Number(expires_at),
});

const machineOf = ({ name, fingerprint, joined_at, token_id, token_expires_at }: Row): Machine => ({
  name: String(name),
  fingerprint: String(fingerprint),
  joinedAt: Number(joined_at),
  tokenId: String(token_id),
  tokenExpiresAt: Number(token_expires_at),
});
