/**
 * The registry's tables: creates them, migrates them from earlier versions, and repairs them when something else is in
 * their place.
 */
import { AUDIT_COLUMNS, AUDIT_INDEX, AUDIT_PROBE } from '../audit/audit-store.ts';
import { log } from '../platform/log.ts';
import { countOf } from './stored-values.ts';

type Step = (sql: Pick<SqlStorage, 'exec'>) => void;

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
 * Forward-only migrations, in order; a step's position is the version it leads to. A step only adds, and succeeds on
 * whatever it or a later step has left behind, so running one twice is harmless.
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
  () => {}, // formerly inserted the agent's only row, which is now ensured at every start
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
  table(
    'push_key',
    `only_row INTEGER PRIMARY KEY CHECK (only_row = 1), public_key TEXT NOT NULL, private_key TEXT NOT NULL`,
  ),
  table(
    'push_subscriptions',
    `id TEXT PRIMARY KEY, person TEXT NOT NULL, role TEXT NOT NULL, endpoint TEXT NOT NULL, p256dh TEXT NOT NULL,
     auth TEXT NOT NULL, muted TEXT NOT NULL, page TEXT NOT NULL, token_id TEXT NOT NULL,
     issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL`,
  ),
  table('push_plans', 'session TEXT PRIMARY KEY, moment TEXT NOT NULL, due_at INTEGER NOT NULL'),
  table(
    'push_queue',
    `subscription TEXT NOT NULL, session TEXT NOT NULL, moment TEXT NOT NULL, attempts INTEGER NOT NULL,
     due_at INTEGER NOT NULL, PRIMARY KEY (subscription, session)`,
  ),
  table(
    'machine_report',
    `only_row INTEGER PRIMARY KEY CHECK (only_row = 1), workspace TEXT, number INTEGER NOT NULL, due_at INTEGER,
     sent_at INTEGER NOT NULL, attempts INTEGER NOT NULL, was_online INTEGER NOT NULL, taken TEXT`,
  ),
  table(
    'share_links',
    `id TEXT PRIMARY KEY, role TEXT NOT NULL, session TEXT, label TEXT NOT NULL, made_by TEXT NOT NULL,
     maker_token TEXT NOT NULL, made_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER,
     uses INTEGER NOT NULL`,
  ),
];

const SCHEMA_VERSION = MIGRATIONS.length;

/** Queries that return nothing, and fail when a table does not have the columns this build needs. */
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
  push_key: 'SELECT only_row, public_key, private_key FROM push_key LIMIT 0',
  push_subscriptions: `SELECT id, person, role, endpoint, p256dh, auth, muted, page, token_id, issued_at, expires_at
     FROM push_subscriptions LIMIT 0`,
  push_plans: 'SELECT session, moment, due_at FROM push_plans LIMIT 0',
  machine_report:
    'SELECT only_row, workspace, number, due_at, sent_at, attempts, was_online, taken FROM machine_report LIMIT 0',
  push_queue: 'SELECT subscription, session, moment, attempts, due_at FROM push_queue LIMIT 0',
  share_links: `SELECT id, role, session, label, made_by, maker_token, made_at, expires_at, used_at, uses
     FROM share_links LIMIT 0`,
};

interface SchemaOutcome {
  /** Tables that record revocations had to be dropped. */
  readonly areLocksLost: boolean;
}

export class RegistrySchema {
  readonly #sql: Pick<SqlStorage, 'exec'>;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  /** Ways to get usable tables, the least destructive first. Each throws when it does not succeed. */
  attempts(): (() => SchemaOutcome)[] {
    return [() => this.#migrate(), () => this.#run(MIGRATIONS), () => this.#mend()].map((attempt) => () => {
      const outcome = attempt();
      this.#sql.exec(Object.values(PROBES).join(';'));
      this.#requireTables();
      return outcome;
    });
  }

  #migrate(): SchemaOutcome {
    this.#sql.exec('CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL)');
    const [row] = this.#sql
      .exec<{ version: SqlStorageValue }>('SELECT max(version) AS version FROM schema')
      .toArray();
    const version = countOf(row?.version);
    // A newer build was here. It has only added, so everything this build needs exists. Its version number stays.
    return version >= SCHEMA_VERSION ? { areLocksLost: false } : this.#run(MIGRATIONS.slice(version));
  }

  /** Replaces tables that none of our versions made. The agent's inventory restores what matters. */
  #mend(): SchemaOutcome {
    let areLocksLost = false;
    // One broken table must not prevent migrations of the others.
    for (const step of MIGRATIONS) {
      try {
        step(this.#sql);
      } catch {
        // caused by the broken table
      }
    }
    for (const [name, probe] of Object.entries(PROBES)) {
      const [found] = this.#sql
        .exec<{ type: string }>('SELECT type FROM sqlite_master WHERE name = ?', name)
        .toArray();
      if (found === undefined || (found.type === 'table' && this.#answers(probe))) continue;
      log('error', 'table_dropped', { code: name });
      this.#sql.exec(`DROP ${found.type} ${name}`);
      areLocksLost ||= name === 'revocations' || name === 'facts';
    }
    this.#run(MIGRATIONS);
    return { areLocksLost };
  }

  /** A view passes the probes too, but cannot be written to. */
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

  /** Steps can run twice, so running all of them also helps when the stored version was wrong. */
  #run(steps: readonly Step[]): SchemaOutcome {
    for (const step of steps) step(this.#sql);
    this.#sql.exec('DELETE FROM schema');
    this.#sql.exec('INSERT INTO schema (version) VALUES (?)', SCHEMA_VERSION);
    return { areLocksLost: false };
  }
}
