/** Codes that the owner gave away and that were not used yet, in SQLite. Rule GT14. */
export interface KeptCode {
  /** Not the code: whoever reads the storage cannot use it. */
  readonly id: string;
  readonly kind: 'invite' | 'owner link';
  /** For an invite: the only machine it is for; null for any new one. */
  readonly machine: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

type Row = Record<string, SqlStorageValue>;

export class CodeTable {
  readonly #sql: Pick<SqlStorage, 'exec'>;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS codes
      (id TEXT PRIMARY KEY, kind TEXT NOT NULL, machine TEXT, expires_at INTEGER NOT NULL)`);
  }

  /** False when there are `most` or more that have not expired. */
  keep({ id, kind, machine, expiresAt }: KeptCode, most: number, now: number): boolean {
    this.#sql.exec('DELETE FROM codes WHERE expires_at <= ?', now);
    const [row] = this.#sql.exec<Row>('SELECT count(*) AS count FROM codes').toArray();
    if (Number(row?.count) >= most) return false;
    this.#sql.exec(
      'INSERT INTO codes (id, kind, machine, expires_at) VALUES (?, ?, ?, ?)',
      ...[id, kind, machine, expiresAt],
    );
    return true;
  }

  /** Uses a code up. Null if it was used before, taken back, or has expired. */
  take(id: string, kind: KeptCode['kind'], now: number): KeptCode | null {
    const [row] = this.#sql.exec<Row>('SELECT * FROM codes WHERE id = ? AND kind = ?', id, kind).toArray();
    if (row === undefined) return null;
    this.#sql.exec('DELETE FROM codes WHERE id = ?', id);
    const code = codeOf(row);
    return code.expiresAt > now ? code : null;
  }

  invites(now: number): KeptCode[] {
    return this.#sql
      .exec<Row>("SELECT * FROM codes WHERE kind = 'invite' AND expires_at > ? ORDER BY expires_at, id", now)
      .toArray()
      .map(codeOf);
  }
}

const codeOf = ({ id, kind, machine, expires_at }: Row): KeptCode => ({
  id: String(id),
  kind: kind === 'invite' ? 'invite' : 'owner link',
  machine: machine === null ? null : String(machine),
  expiresAt: Number(expires_at),
});
