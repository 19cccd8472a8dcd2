/**
 * Wraps the object's SQL and counts every event that writes. A commit waits for the disk, and meanwhile a self-hosted
 * relay serves nobody else: that takes milliseconds, where a message takes microseconds. Rule RL17.
 */

export type Sql = Pick<SqlStorage, 'exec'>;

/**
 * `committed` is called once for each event that has written something. An event is handled synchronously and is one
 * commit.
 */
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
