/** The sessions in memory equal those in storage after any changes. On Node's own SQLite. */
import { describe, expect, it } from 'vitest';
import { SESSIONS_MAX } from '../../../protocol/limits.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { RegistrySchema } from '../../../worker/registry/registry-schema.ts';
import { MISSING_KEPT_MS, MISSING_MAX, SessionTable } from '../../../worker/registry/session-table.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

type Sql = ConstructorParameters<typeof SessionTable>[0];

function storage() {
  const made = sqliteStorage('CREATE TABLE schema (version INTEGER NOT NULL)');
  for (const attempt of new RegistrySchema(made.sql).attempts().slice(0, 1)) attempt();
  return { ...made, table: new SessionTable(made.sql) };
}

/** The complete content of a table, at this time. */
function said(table: SessionTable, now: number) {
  return {
    there: table.list({ missingToo: false, now }),
    all: table.list({ missingToo: true, now }),
    texts: table.texts({ missingToo: true, now }).map((text) => JSON.parse(text)),
    counts: table.counts(),
    isFull: table.isFull(),
    generation: table.lastGeneration(),
    handles: [1, 2, 3].map((handle) => table.sessionWithHandle(handle)),
  };
}

describe('a table of sessions', () => {
  it('[S1] [X9] has after every step the same content as a fresh one that reads storage', () => {
    const { sql, table } = storage();
    const random = seededRandom(20_261_117);
    let now = 1_000_000;
    let generation = 1;
    for (let step = 0; step < 400; step++) {
      now += random.pick([1, 1000, MISSING_KEPT_MS / 10]);
      const id = `s${random.int(1, 12)}`;
      // Every description differs in a field that is always written, so that nothing is only in memory.
      const told = sessionInfo(id, {
        name: `n${step}`,
        status: random.pick(['running', 'running', 'exited'] as const),
        attached: random.int(0, 1),
      });
      random.weighted<() => void>([
        [() => table.put(told, generation), 6],
        [() => table.gone(id, random.pick([null, 'idle'] as const), now), 2],
        [() => table.reconcile(++generation, now), 1],
        [() => table.learnHandle(id, random.int(1, 3)), 2],
        [() => table.typedLast(id, 'Ada', now), 2],
      ])();
      expect(said(table, now), `step ${step}`).toEqual(said(new SessionTable(sql), now));
    }
  });

  it('[X14] keeps unimportant changes in memory, which a wake-up may lose', () => {
    const { sql, table, writes } = storage();
    table.put(sessionInfo('s1'), 1);
    const before = writes();
    const next = sessionInfo('s1', { bufferBytes: 77 });
    table.put(next, 1);
    expect([writes() - before, table.get('s1', 0)?.bufferBytes]).toEqual([0, 77]);
    expect(JSON.parse(table.texts({ missingToo: false, now: 0 })[0] ?? '')).toEqual(next);
    expect(new SessionTable(sql).get('s1', 0)?.bufferBytes).not.toBe(77);
  });

  it('[X9] reads storage once, however often it is queried', () => {
    const { sql, table } = storage();
    for (let i = 0; i < 20; i++) table.put(sessionInfo(`s${i}`), 1);
    let reads = 0;
    const counted = {
      exec: (...args: Parameters<Sql['exec']>) => {
        reads++;
        return sql.exec(...args);
      },
    } as unknown as Sql;
    const woken = new SessionTable(counted);
    for (let i = 0; i < 50; i++) said(woken, 0);
    expect(reads).toBe(1);
  });

  it('[P14] leaves out rows that this build cannot read, and counts them as sessions', () => {
    const { sql, table } = storage();
    sql.exec("INSERT INTO sessions (id, status, generation, info) VALUES ('odd', 'running', 1, 'no JSON')");
    expect(table.list({ missingToo: true, now: 0 })).toEqual([]);
    expect([table.get('odd', 0), table.counts().running]).toEqual([null, 1]);
    table.put(sessionInfo('odd'), 1);
    expect(table.get('odd', 0)).toEqual(sessionInfo('odd'));
  });

  it('[RL14] has a maximum, and accepts one more only in place of another', () => {
    const { table } = storage();
    for (let i = 0; i < SESSIONS_MAX; i++) table.put(sessionInfo(`s${i}`), 1);
    table.put(sessionInfo('one more'), 1);
    expect([table.isFull(), table.get('one more', 0)]).toEqual([true, null]);
    table.gone('s0', null, 0);
    table.put(sessionInfo('one more'), 1);
    expect(table.get('one more', 0)?.id).toBe('one more');
  });

  it('[RL15] deletes sessions ended by a rule after a day, when the next one ends', () => {
    const { sql, table } = storage();
    for (const id of ['first', 'second']) table.put(sessionInfo(id), 1);
    table.gone('first', 'idle', 0);
    expect(table.get('first', MISSING_KEPT_MS)).toMatchObject({ status: 'exited', endedBy: 'idle' });
    expect(table.get('first', MISSING_KEPT_MS + 1)).toBe(null);
    const rows = () => sql.exec('SELECT id FROM sessions').toArray().length;
    expect(rows()).toBe(2);
    table.gone('second', 'idle', MISSING_KEPT_MS + 1);
    expect(rows()).toBe(1);
  });

  it('[RL15] keeps the newest of those that are missing', () => {
    const { sql, table } = storage();
    for (let i = 0; i < MISSING_MAX + 2; i++) {
      table.put(sessionInfo(`s${i}`), 1);
      table.gone(`s${i}`, 'idle', i);
    }
    const ids = (of: SessionTable): string[] =>
      of.list({ missingToo: true, now: 1000 }).map(({ id }: SessionInfo) => id);
    expect(ids(table)).toHaveLength(MISSING_MAX);
    expect(ids(table)).not.toContain('s1');
    expect(ids(new SessionTable(sql)).sort()).toEqual(ids(table).sort());
  });
});
