/**
 * What the workspace remembers: its sessions, and the agent's last connection. The only file with SQL.
 *
 * Written when a session begins, changes or ends and when the agent comes or goes, never per frame: sends
 * wait for pending writes.
 */
import type { AgentPresence, SessionInfo } from '../protocol/messages.ts';

/**
 * Forward only, each step once, in order. They run in the object's constructor, where a throw would brick
 * the object: a step only adds, and must succeed on any state an earlier one left.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS sessions (
     id TEXT PRIMARY KEY,
     status TEXT NOT NULL,
     generation INTEGER NOT NULL,
     info TEXT NOT NULL
   )`,
  `CREATE TABLE IF NOT EXISTS agent (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
     generation INTEGER NOT NULL,
     epoch TEXT,
     state TEXT NOT NULL,
     since TEXT
   )`,
  `INSERT OR IGNORE INTO agent (only_row, generation, epoch, state, since) VALUES (1, 0, NULL, 'offline', NULL)`,
];

export class Registry {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#migrate();
  }

  agent(): AgentPresence {
    const row = this.#sql
      .exec<{ generation: number; epoch: string | null; state: string; since: string | null }>(
        'SELECT generation, epoch, state, since FROM agent',
      )
      .one();
    return { ...row, state: row.state === 'online' ? 'online' : 'offline' };
  }

  /** A new agent connection; its number fences off every earlier one. [RL1] */
  nextGeneration(): number {
    return this.#sql
      .exec<{ generation: number }>('UPDATE agent SET generation = generation + 1 RETURNING generation')
      .one().generation;
  }

  agentOnline(epoch: string, now: Date): void {
    this.#sql.exec("UPDATE agent SET state = 'online', epoch = ?, since = ?", epoch, now.toISOString());
  }

  agentOffline(now: Date): void {
    this.#sql.exec("UPDATE agent SET state = 'offline', since = ? WHERE state = 'online'", now.toISOString());
  }

  /** Inserts or replaces; `generation` says that the agent of this connection knows the session. */
  put(session: SessionInfo, generation: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO sessions (id, status, generation, info) VALUES (?, ?, ?, ?)',
      session.id,
      session.status,
      generation,
      JSON.stringify(session),
    );
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM sessions WHERE id = ?', id);
  }

  /** The inventory is complete: what it does not name is lost, unless it had ended already. [RL6] */
  reconcile(generation: number): void {
    this.#sql.exec("DELETE FROM sessions WHERE generation < ? AND status = 'exited'", generation);
    this.#sql.exec("UPDATE sessions SET status = 'lost' WHERE generation < ?", generation);
  }

  /** Oldest first; lost ones are kept for a page that asks after its tabs, not for lists. */
  sessions(): SessionInfo[] {
    return this.#sql
      .exec<{ info: string }>("SELECT info FROM sessions WHERE status <> 'lost'")
      .toArray()
      .map((row) => JSON.parse(row.info) as SessionInfo)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  #migrate(): void {
    this.#sql.exec('CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL)');
    const [row] = this.#sql.exec<{ version: number }>('SELECT version FROM schema').toArray();
    if (row === undefined) this.#sql.exec('INSERT INTO schema (version) VALUES (0)');
    for (const statement of MIGRATIONS.slice(row?.version ?? 0)) this.#sql.exec(statement);
    if (row?.version !== MIGRATIONS.length)
      this.#sql.exec('UPDATE schema SET version = ?', MIGRATIONS.length);
  }
}
