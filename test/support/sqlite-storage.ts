/** The object's SQL without an object: Node's own SQLite behind the one method that stores use. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { AuditStore } from '../../worker/audit/audit-store.ts';

type Sql = ConstructorParameters<typeof AuditStore>[0];

export interface Storage {
  readonly sql: Sql;
  /** Statements that changed something, so far. */
  readonly writes: () => number;
}

export function sqliteStorage(...statements: readonly string[]): Storage {
  const database = new DatabaseSync(':memory:');
  for (const statement of statements) database.exec(statement);
  // Prepared once: stores ask the same few statements thousands of times.
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
