/**
 * The object's SQL, with every event counted that writes. A commit waits for the disk, and while it does a relay of one's own serves
 * nobody: that takes milliseconds where a message takes microseconds. Rule RL17.
 */

export type Sql = Pick<SqlStorage, 'exec'>;

/** `committed` is called once for each event that has written something; an event is handled without a break, and is one commit. */
export function countCommits(sql: Sql, committed: () => void): Sql {
  let isWriting = false;
  return {
    exec(query, ...bindings) {
      const cursor = sql.exec(query, ...bindings);
      if (cursor.rowsWritten > 0 && !isWriting) {
        isWriting = true;
        queueMicrotask(() => {
          isWriting = false;
        });
        committed();
      }
      return cursor as never;
    },
  };
}
