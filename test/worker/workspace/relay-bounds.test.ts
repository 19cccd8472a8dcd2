/** What one hostile peer costs a real relay on its sockets: unread lists, closed connections, agents that never stop. */
import { describe, expect, it } from 'vitest';
import { CLIENT_HANDLES_MAX, SESSIONS_MAX } from '../../../protocol/limits.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import { ApiClient } from '../../support/api-client.ts';
import { relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { channelOf, connectAgent, connectClient } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { clientsOf } from './api-peers.ts';

startsWorkspaces();

describe('heartbeats', () => {
  it('[RL12] [WF7] count like any message if one process has all workspaces', async () => {
    const client = await connectClient(relay, 'viewer');
    await client.pong();
    // On any machine more than are allowed arrive within a second.
    for (let sent = 0; sent < 2_000; sent++) client.send('ping');
    expect(await client.message('error')).toMatchObject({ code: 'slow_down' });
    expect((await client.closed).code).toBe(4429);
  });
});

describe('an agent', () => {
  it('[X9] [RL20] that subscribes a client to more sessions than can exist is closed with 4400', async () => {
    const agent = await connectAgent(relay);
    const channel = await channelOf(await connectClient(relay), agent);
    for (let handle = 1; handle <= CLIENT_HANDLES_MAX; handle++)
      agent.send({ type: 'subscribe', channel, handle });
    await agent.pong();
    agent.send({ type: 'subscribe', channel, handle: CLIENT_HANDLES_MAX + 1 });
    expect(await agent.closed).toMatchObject({
      code: 4400,
      reason: expect.stringContaining('1000 sessions'),
    });
  });

  it('[X9] with a thousand sessions of the longest descriptions is listed, over socket and HTTP', async () => {
    const agent = await connectAgent(relay, { sessions: [] });
    const long = 'n'.repeat(60_000);
    const more = { name: 'é'.repeat(256), title: long.slice(0, 3000), cwd: `/${long.slice(0, 50_000)}` };
    for (let i = 0; i < 1000; i++) {
      agent.send({ type: 'session_changed', session: sessionInfo(`s-${i}`, more) });
    }
    await agent.pong();
    const api = await ApiClient.of(relay, 'viewer');
    const { status, body } = await api.ask<{ sessions: unknown[] }>('GET', '/sessions');
    expect([status, body.sessions.length]).toEqual([200, 1000]);
    expect(JSON.stringify(body).length).toBeLessThan(1000 * 4096);
    const client = await connectClient(relay, 'viewer');
    client.send({ type: 'list_sessions', request: 'l' });
    let listed = 0;
    for (let more = true; more; ) {
      const page = await client.message<ServerMessageOf<'session_list'>>('session_list');
      listed += page.sessions.length;
      more = page.more ?? false;
    }
    expect(listed).toBe(1000);
  });
});

describe('a client', () => {
  it('[X9] that requests lists repeatedly and reads none is closed before they are many megabytes', async () => {
    const agent = await connectAgent(relay, { sessions: [] });
    const title = 't'.repeat(256);
    for (let i = 0; i < 1000; i++) {
      agent.send({ type: 'session_changed', session: sessionInfo(`s-${i}`, { title, name: title }) });
    }
    await agent.pong();
    const client = await connectClient(relay, 'viewer');
    const other = await connectClient(relay, 'viewer');
    for (let i = 0; i < 60; i++) client.send({ type: 'list_sessions', request: `${i}` });
    expect((await client.closed).code).toBe(4429);
    const bytes = client.unread.reduce<number>((sum, message) => sum + JSON.stringify(message).length, 0);
    expect(bytes).toBeLessThan(9 * 1024 * 1024);
    other.send({ type: 'list_sessions', request: 'l' });
    await other.message('session_list');
  });
});

describe('a connection that was closed and does not end', () => {
  it('[X4] [X8] [RL26] counts for its token until it has ended', async () => {
    const operator = await connectClient(relay);
    const name = 'n'.repeat(256);
    const tabs = Array.from({ length: 48 }, (_, i) => ({ session: `s-${i}`, name }));
    operator.send({ type: 'save_layout', request: 's', layout: { tabs, active: null } });
    await operator.message('layout');
    const token = await relay.token('viewer');
    const api = await ApiClient.of(relay);
    const stuck = await connectClient(relay, 'viewer', token);
    stuck.freeze();
    // More than a client may send, so that it is closed.
    for (let i = 0; i < 600; i++) stuck.send({ type: 'load_layout', request: `${i}` });
    await expect.poll(() => clientsOf(api)).toBe(1);
    const address = new URL(`/ws/workspaces/${relay.workspace}`, relay.url);
    const again = await ScriptedPeer.connect(address, { Authorization: `Bearer ${token}` });
    expect(await again.closed).toMatchObject({ code: 4429, reason: expect.stringMatching(/are still open/) });
    stuck.terminate();
    await expect
      .poll(async () => {
        const next = await ScriptedPeer.connect(address, { Authorization: `Bearer ${token}` });
        const first = await Promise.race([next.message('agent_state'), next.closed]);
        next.terminate();
        return 'type' in first;
      })
      .toBe(true);
  });
});

describe('lists', () => {
  it('[X9] [RL16] that one token requests are refused if they are many, over sockets and HTTP alike', async () => {
    const long = (i: number) => sessionInfo(`s${i}`, { cwd: `/${'x'.repeat(3500)}` });
    const agent = await connectAgent(relay, { sessions: [] });
    for (let i = 0; i < SESSIONS_MAX; i++) agent.send({ type: 'session_changed', session: long(i) });
    agent.send({ type: 'ask_presence', question: 'all' });
    await agent.message('presence');
    const token = await relay.token('viewer');
    const viewer = await connectClient(relay, 'viewer', token);
    const last = async (request: string) => {
      for (;;) {
        const answer = await viewer.next();
        if (
          typeof answer === 'object' &&
          'type' in answer &&
          answer.request === request &&
          answer.more !== true
        )
          return answer;
      }
    };
    viewer.send({ type: 'list_sessions', request: 'first' });
    expect(await last('first')).toMatchObject({ type: 'session_list' });
    const list = () =>
      fetch(new URL(`/api/workspaces/${relay.workspace}/sessions`, relay.url), {
        headers: { Authorization: `Bearer ${token}` },
      });
    const answer = await list();
    expect(((await answer.json()) as { sessions: unknown[] }).sessions).toHaveLength(SESSIONS_MAX);
    expect((await list()).status, 'a third one owes').toBe(200);
    const refused = await list();
    expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({ error: { code: 'slow_down' } });
    viewer.send({ type: 'list_sessions', request: 'again' });
    expect(await last('again')).toMatchObject({
      type: 'error',
      code: 'slow_down',
      retryAfterMs: expect.any(Number),
    });
    viewer.send({ type: 'list_sessions', request: 'one', session: 's7' });
    expect(await last('one'), 'a list of one session is short').toMatchObject({ sessions: [{ id: 's7' }] });
    const another = await ApiClient.of(relay, 'operator');
    expect((await another.ask('GET', '/sessions')).status, 'another token').toBe(200);
  });
});
