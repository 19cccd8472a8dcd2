/** A Durable Object's SQL storage without the object: Node's own SQLite behind the one method that the stores use. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { AuditStore } from '../../worker/audit/audit-store.ts';

type Sql = ConstructorParameters<typeof AuditStore>[0];

export interface Storage {
  readonly sql: Sql;
  /** How many statements other than SELECT have run so far. */
  readonly writes: () => number;
}

export function sqliteStorage(...statements: readonly string[]): Storage {
  const database = new DatabaseSync(':memory:');
  for (const statement of statements) database.exec(statement);
  // Prepared once: stores run the same few statements thousands of times.
  const prepared = new Map<string, StatementSync>();
  const understood = (query: string): StatementSync => {
    const statement = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, statement);
    return statement;
  };
  let writes = 0;
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    if (!/^\s*SELECT/i.test(query)) writes++;
    const rows = understood(query).all(...bindings);
    return { toArray: () => rows };
  };
  return { sql: { exec } as unknown as Sql, writes: () => writes };
}
