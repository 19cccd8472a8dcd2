/** The object's SQL without an object: Node's own SQLite behind the one method that stores use. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
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
  let writes = 0;
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    if (!/^\s*SELECT/i.test(query)) writes++;
    const rows = database.prepare(query).all(...bindings);
    return { toArray: () => rows };
  };
  return { sql: { exec } as unknown as Sql, writes: () => writes };
}
