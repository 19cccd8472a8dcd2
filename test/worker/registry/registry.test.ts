/** The registry opens every older schema, partial migrations and invalid data. On the object's own SQLite. */
import { describe, expect, it } from 'vitest';
import { hibernating, relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { connectAgent, connectClient } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

startsWorkspaces();

const TABLES = ['schema', 'sessions', 'agent', 'layout', 'revocations', 'redeemed_tickets', 'facts', 'audit'];
const DROP_ALL = TABLES.map((name) => `DROP TABLE IF EXISTS ${name}`);
const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

const SCHEMA = 'CREATE TABLE schema (version INTEGER NOT NULL)';
const V1 = `CREATE TABLE sessions (id TEXT PRIMARY KEY, status TEXT NOT NULL, generation INTEGER NOT NULL,
            info TEXT NOT NULL)`;
const V2 = `CREATE TABLE agent (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), generation INTEGER NOT NULL,
            epoch TEXT, state TEXT NOT NULL, since TEXT)`;
const V3 = `INSERT INTO agent VALUES (1, 41, 'epoch-0', 'online', '2026-01-01T00:00:00.000Z')`;
const V4 = 'ALTER TABLE sessions ADD COLUMN missing_since INTEGER';
const V6 = 'ALTER TABLE agent ADD COLUMN last_seen TEXT';
const V7 = `CREATE TABLE layout (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), tabs TEXT NOT NULL,
            saved_at TEXT NOT NULL)`;
const V8 = 'CREATE TABLE revocations (jti TEXT PRIMARY KEY, recorded_at INTEGER NOT NULL)';
const V9 = 'CREATE TABLE redeemed_tickets (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL)';
const V10 = 'CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL)';
const V11 = `CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, until_at INTEGER NOT NULL,
             class TEXT NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL, who TEXT, session TEXT, detail TEXT,
             count INTEGER NOT NULL)`;
const V12 = 'CREATE INDEX audit_by_actor ON audit (actor, class, at)';
const [V13, V14, V15] = ['handle INTEGER', 'typed_by TEXT', 'typed_at INTEGER'].map(
  (column) => `ALTER TABLE sessions ADD COLUMN ${column}`,
) as [string, string, string];
/** What each version has added; the fifth only marks what was lost before the fourth. */
const STEPS = [V1, V2, V3, V4, 'SELECT 1', V6, V7, V8, V9, V10, V11, V12, V13, V14, V15];

const row = (id: string, status: string, info: unknown = sessionInfo(id)) =>
  `INSERT INTO sessions (id, status, generation, info) VALUES ('${id}', '${status}', 1, ${quoted(info)})`;

/** The object finds this in its storage, as after a deploy. */
async function restartOn(...statements: readonly string[]): Promise<void> {
  await relay.sql(...DROP_ALL, ...statements);
  await relay.evict('close');
}

/** Everything that a workspace must be able to do, whatever its past. */
async function works(): Promise<{ generation: number; listed: string[] }> {
  const client = await connectClient(relay);
  client.send({ type: 'list_sessions', request: 'l', include: 'lost' });
  const { sessions } = await client.message<{ type: string; sessions: { id: string; status: string }[] }>(
    'session_list',
  );
  client.send({ type: 'save_layout', request: 'w', layout: { tabs: [], active: null } });
  await client.message('layout');
  const token = await relay.token('viewer');
  const agent = await connectAgent(relay, { sessions: [sessionInfo('fresh')] });
  const { agent: state } = await client.message<{ type: string; agent: { generation: number } }>(
    'agent_state',
  );
  const revoked = await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
    method: 'POST',
    headers: await relay.bearer('operator'),
    body: JSON.stringify({ jti: 'a-token-of-old' }),
  });
  expect(revoked.status).toBe(204);
  const report = await fetch(new URL(`/api/workspaces/${relay.workspace}/sessions`, relay.url), {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(await report.json()).toMatchObject({ agent: { state: 'online' }, sessions: [{ id: 'fresh' }] });
  await agent[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
  return { generation: state.generation, listed: sessions.map(({ id, status }) => `${id} ${status}`) };
}

describe('the registry starts', () => {
  it('[F9] [RL6] empty, and is restored by the next inventory', async () => {
    await connectAgent(relay, { sessions: [sessionInfo('a'), sessionInfo('b')] });
    await restartOn();
    const client = await connectClient(relay);
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({ sessions: [], agent: { state: 'offline' } });
    await connectAgent(relay, { sessions: [sessionInfo('a'), sessionInfo('b')] });
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({ sessions: [{ id: 'a' }, { id: 'b' }] });
  });

  it.each(STEPS.map((_, i) => ({ version: i + 1 })))('from version $version', async ({ version }) => {
    await restartOn(
      SCHEMA,
      `INSERT INTO schema VALUES (${version})`,
      ...STEPS.slice(0, version),
      row('old', 'running'),
      row('gone', 'lost'),
    );
    const { generation, listed } = await works();
    expect(listed).toContain('old running');
    if (version >= 3) expect(generation, 'fences off every connection before').toBe(42);
    if (version <= 4) expect(listed, 'kept for a day from now').toContain('gone lost');
  });

  it.each(STEPS.map((_, i) => ({ done: i + 1 })))(
    'from $done migration steps that were taken and not recorded',
    async ({ done }) => {
      await restartOn(
        SCHEMA,
        'INSERT INTO schema VALUES (0)',
        ...STEPS.slice(0, done),
        row('old', 'running'),
      );
      expect((await works()).listed).toContain('old running');
    },
  );

  it.each([
    {
      name: 'migration steps that were recorded and not taken',
      sql: [SCHEMA, 'INSERT INTO schema VALUES (10)', V1],
    },
    {
      name: 'a version that is not a number',
      sql: ['CREATE TABLE schema (version)', "INSERT INTO schema VALUES ('x')", V1],
    },
    { name: 'no version at all', sql: [SCHEMA, V1, V2] },
    { name: 'an audit trail of another shape', sql: ['CREATE TABLE audit (something INTEGER)'] },
    {
      name: 'an invalid typist',
      sql: [
        SCHEMA,
        'INSERT INTO schema VALUES (15)',
        ...STEPS,
        row('odd', 'running'),
        "UPDATE sessions SET typed_by = 'x', typed_at = 9e99, handle = 'y'",
      ],
    },
    { name: 'a table of another shape', sql: ['CREATE TABLE sessions (something INTEGER)'] },
    {
      name: 'a view in place of a table',
      sql: ['CREATE VIEW layout AS SELECT 1 AS only_row, 2 AS tabs, 3 AS saved_at'],
    },
    {
      name: 'an agent without its row',
      sql: [SCHEMA, 'INSERT INTO schema VALUES (10)', ...STEPS, 'DELETE FROM agent'],
    },
  ])('from $name', async ({ sql }) => {
    await restartOn(...sql);
    await works();
    await relay.evict('close');
    await works();
  });

  it('on storage that refuses writes: it answers from memory, and works again afterwards', async () => {
    await connectAgent(relay, { sessions: [sessionInfo('a')] });
    await relay.sql(
      "CREATE TRIGGER full BEFORE UPDATE ON agent BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    );
    await relay.evict('close');
    const client = await connectClient(relay);
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({
      agent: { state: 'offline', since: null },
      sessions: [{ id: 'a' }],
    });
    expect(relay.logs.join('\n')).toMatch(/registry_unusable/);
    await relay.sql('DROP TRIGGER full');
    expect((await works()).listed).toEqual(['a running']);
  });

  it('from the version of a newer build, and keeps its version', async () => {
    await works();
    await relay.sql('UPDATE schema SET version = 99', 'ALTER TABLE sessions ADD COLUMN invented TEXT');
    await relay.evict('close');
    await works();
    expect(await relay.sql('SELECT version FROM schema')).toEqual([[{ version: 99 }]]);
  });

  it('from invalid data in every row: unreadable rows are left out, the rest is kept', async () => {
    await works();
    await relay.sql(
      "INSERT INTO sessions (id, status, generation, info, missing_since) VALUES ('text', 'running', 1, 'no json', NULL)",
      "INSERT INTO sessions (id, status, generation, info, missing_since) VALUES ('null', 'running', 1, 'null', NULL)",
      "INSERT INTO sessions (id, status, generation, info, missing_since) VALUES ('shape', 'running', 1, '{\"id\":7}', NULL)",
      "INSERT INTO sessions VALUES ('status', 'flying', 'x', '{}', 'y', 'z', 7, 'never')",
      row('good', 'running'),
      "UPDATE agent SET generation = 'many', epoch = 7, state = 'odd', since = 'never', last_seen = 3",
      "INSERT OR REPLACE INTO layout VALUES (1, 'no json', 'never')",
      "INSERT OR REPLACE INTO facts VALUES ('alarm_at', 'soon'), ('revoked_before', 'long ago')",
      "INSERT INTO revocations (jti, recorded_at, expires_at) VALUES ('x', 'y', 'z')",
      "INSERT INTO audit VALUES (NULL, 'x', 'y', 'z', 'flew', '', 'no json', 7, 8, 'many')",
      "INSERT INTO audit VALUES (NULL, 9e99, 9e99, 'action', 'typed', '', '{}', 7, 8, -1)",
    );
    await relay.evict('close');
    expect((await works()).listed).toContain('good running');
    const audit = await fetch(new URL(`/api/workspaces/${relay.workspace}/audit`, relay.url), {
      headers: await relay.bearer('operator'),
    });
    expect(audit.status).toBe(200);
  });

  it('[GT8] locking everybody out if it can no longer know who was revoked', async () => {
    const before = await relay.token('operator');
    await restartOn('CREATE TABLE revocations (something INTEGER)');
    await expect(connectClient(relay, 'operator', before)).rejects.toThrow('401');
    expect(relay.logs.join('\n')).toMatch(/table_dropped/);
    // `iat` counts seconds: a token counts as made after that time from the next second on.
    await relay.sql("UPDATE facts SET value = value - 2000 WHERE name = 'revoked_before'");
    await connectClient(relay, 'operator', await relay.token('operator'));
  });

  it('[RL1] and rejects a connection that is still open although storage has lost it', async () => {
    await hibernating();
    await connectAgent(relay);
    const old = await connectAgent(relay, { epoch: 'epoch-2' });
    await relay.sql('UPDATE agent SET generation = 0');
    await relay.evict('hibernate');
    const heir = await connectAgent(relay, { epoch: 'epoch-3' });
    expect((await old.closed).code).toBe(4409);
    heir.send({ type: 'ask_presence', question: 'q' });
    expect(await heir.message('presence')).toMatchObject({ generation: 3 });
  });

  it('[S1] with a socket whose attachment is invalid, which is ignored', async () => {
    const agent = await connectAgent(relay);
    expect(agent).toBeInstanceOf(ScriptedPeer);
    const { readAttachment } = await import('../../../worker/peers/peer.ts');
    for (const attachment of [
      null,
      undefined,
      7,
      'x',
      {},
      { role: 'operator' },
      { role: 'agent', generation: 'x' },
    ]) {
      expect(readAttachment(attachment)).toBeNull();
    }
  });
});
