/** What the registry keeps of a session that a rule ended. */
import { describe, expect, it } from 'vitest';
import { SESSIONS_MAX } from '../../../protocol/limits.ts';
import type { CloseReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import { MISSING_MAX } from '../../../worker/registry/session-table.ts';
import { hibernating, relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { connectAgent, connectClient } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

startsWorkspaces();

describe('a session that was ended by a rule', () => {
  const listed = async (query = '') => {
    const response = await fetch(new URL(`/api/workspaces/${relay.workspace}/sessions${query}`, relay.url), {
      headers: await relay.bearer('viewer'),
    });
    const { sessions } = (await response.json()) as { sessions: SessionInfo[] };
    return sessions.map(({ id, status, endedBy }) => `${id} ${status} ${endedBy ?? '-'}`);
  };
  const get = async (path: string) =>
    fetch(new URL(`/api/workspaces/${relay.workspace}/${path}`, relay.url), {
      headers: await relay.bearer('viewer'),
    });
  const ends = async (agent: ScriptedPeer, session: string, reason: CloseReason) => {
    agent.send({ type: 'session_gone', session, reason });
    await agent.pong();
  };
  const count = () => relay.sql('SELECT count(*) AS n FROM sessions').then(([rows]) => rows?.[0]?.n);

  it.each(['orphan_expired', 'idle', 'evicted'] as const)(
    '[RL15] [M3] is listed on request, with the rule (%s), and otherwise no longer a session',
    async (reason) => {
      await hibernating();
      const old = sessionInfo('old', { key: 'build' });
      const agent = await connectAgent(relay, { sessions: [old, sessionInfo('runs')] });
      await ends(agent, 'old', reason);
      await relay.evict('hibernate');
      expect(await listed()).toEqual(['runs running -']);
      expect(await listed('?key=build')).toEqual([]);
      expect(await listed('?include=lost')).toEqual([`old exited ${reason}`, 'runs running -']);
      expect(await (await get('sessions/old')).json()).toMatchObject({ key: 'build', endedBy: reason });
      expect(await (await get('health')).json()).toMatchObject({
        sessions: { running: 1, orphaned: 1, exited: 0 },
      });
      const waited = await get('sessions/old/wait?for=exit');
      expect([waited.status, await waited.text()]).toEqual([404, expect.stringMatching(/was ended: /)]);
    },
  );

  it('[RL15] is included for clients that request lost ones, also after the next inventory', async () => {
    await ends(await connectAgent(relay), 's1', 'idle');
    await connectAgent(relay, { sessions: [] });
    const client = await connectClient(relay);
    client.send({ type: 'list_sessions', request: 'l', include: 'lost' });
    expect(await client.message('session_list')).toMatchObject({
      sessions: [{ id: 's1', status: 'exited', endedBy: 'idle' }],
    });
  });

  it.each(['closed', 'exited_expired'] as const)('[RL15] is not kept if the reason is %s', async (reason) => {
    await ends(await connectAgent(relay), 's1', reason);
    expect(await count()).toBe(0);
  });

  it('[RL15] is not kept if its program had ended by itself before it was evicted', async () => {
    const done = sessionInfo('done', { status: 'exited', exitCode: 0 });
    await ends(await connectAgent(relay, { sessions: [done] }), 'done', 'evicted');
    expect(await count()).toBe(0);
  });

  it('[RL15] is kept with 199 others, the oldest are removed first, and takes no place from a new one', async () => {
    const agent = await connectAgent(relay, { sessions: [] });
    const session = (i: number) => sessionInfo(`s-${i}`);
    for (let i = 0; i < MISSING_MAX + 5; i++) {
      agent.send({ type: 'session_changed', session: session(i) });
      agent.send({ type: 'session_gone', session: `s-${i}`, reason: 'orphan_expired' });
    }
    await agent.pong();
    expect(await count()).toBe(MISSING_MAX);
    expect((await get('sessions/s-4')).status).toBe(404);
    expect((await get('sessions/s-5')).status).toBe(200);
    const others = Array.from({ length: SESSIONS_MAX }, (_, i) => session(1000 + i));
    for (let from = 0; from < SESSIONS_MAX; from += 80)
      agent.send({ type: 'inventory', sessions: others.slice(from, from + 80), more: true });
    await agent.pong();
    expect(await count(), 'as many as may be, and those remembered').toBe(MISSING_MAX + SESSIONS_MAX);
    agent.send({ type: 'session_changed', session: session(5) });
    await agent.pong();
    expect(await count(), 'one that was remembered is one too many, too').toBe(MISSING_MAX + SESSIONS_MAX);
    expect(await (await get('sessions/s-5')).json()).toMatchObject({ endedBy: 'orphan_expired' });
    await ends(agent, 's-1000', 'closed');
    const client = await connectClient(relay);
    client.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    await agent.message('from_client');
  });
});
