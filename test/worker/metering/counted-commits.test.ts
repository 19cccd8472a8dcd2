import { describe, expect, it } from 'vitest';
import { countCommits, type Sql } from '../../../worker/metering/counted-commits.ts';

/** Storage in which every statement that is no SELECT writes a row. */
const storage = { exec: (query: string) => ({ rowsWritten: query.startsWith('SELECT') ? 0 : 1 }) };

describe('commits', () => {
  it('[RL17] are counted once per event that writes, however much it writes', async () => {
    let commits = 0;
    const sql = countCommits(storage as unknown as Sql, () => void commits++);
    sql.exec('SELECT 1');
    expect(commits).toBe(0);
    sql.exec('UPDATE one');
    sql.exec('UPDATE two');
    expect(commits).toBe(1);
    await Promise.resolve();
    sql.exec('UPDATE three');
    expect(commits).toBe(2);
  });
});
