/** Every limit of the relay, and its typed refusal. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import { CLIENTS_MAX, LIST_PAGE_MAX_BYTES, SESSIONS_MAX } from '../../../protocol/limits.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import { pagesOf } from '../../../protocol/messages/session-info.ts';
import { hibernating, relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { attachClient, connectAgent, connectClient, HANDLE, input } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

startsWorkspaces();

const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => sessionInfo(`s-${from + i}`, { name: 'n'.repeat(200) }));

async function inventory(agent: ScriptedPeer, count: number): Promise<void> {
  for (let from = 0; from < count; from += 80) {
    agent.send({
      type: 'inventory',
      sessions: many(Math.min(80, count - from), from),
      more: from + 80 < count,
    });
  }
  await agent.message('presence');
}

describe('data from a client', () => {
  it('[SEC10] [RL12] of a 1 MiB paste and a second of mouse tracking arrives completely, without a request to slow down', async () => {
    const agent = await connectAgent(relay);
    const { client } = await attachClient(relay, agent);
    const piece = new Uint8Array(65_536);
    for (let i = 0; i < 16; i++) {
      client.send(encodeFrame({ kind: 'input', channel: 0, handle: HANDLE, offset: i * 65_536 }, piece));
    }
    for (let i = 0; i < 1000; i++) client.send(input(1_048_576 + i * 6, '\x1b[M !!'));
    for (let i = 0; i < 1016; i++) await agent.frame();
    await client.pong();
    expect(client.unread).toEqual([]);
  });

  it('[SEC10] [RL12] in a flood is asked to slow down before it is closed, and everything before that arrives', async () => {
    const agent = await connectAgent(relay);
    const { client } = await attachClient(relay, agent);
    // Control messages, of which 100 a second are allowed: on any machine more than that arrive.
    const sent = 2000;
    for (let i = 0; i < sent; i++) client.send({ type: 'detach_session', session: `s-${i}` });
    expect(await client.message('error')).toMatchObject({
      code: 'slow_down',
      retryAfterMs: expect.any(Number),
    });
    const { code, reason } = await client.closed;
    expect([code, reason]).toEqual([4429, 'Too many messages in too short a time.']);
    let arrived = 0;
    for (;;) {
      const heard = await agent.next();
      if (typeof heard !== 'object' || !('type' in heard)) continue;
      if (heard.type === 'client_dropped') break;
      expect(heard).toMatchObject({ message: { session: `s-${arrived++}` } });
    }
    expect(arrived).toBeGreaterThanOrEqual(399);
    expect(arrived).toBeLessThan(sent);
  });

  it('[SEC10] [RL14] one client beyond the limit is refused with 4429, and the others stay connected', async () => {
    await hibernating();
    const clients: ScriptedPeer[] = [];
    // One after the other: workerd does not let an object sleep whose first sockets came at the same moment.
    while (clients.length < CLIENTS_MAX) clients.push(await connectClient(relay));
    await expect(connectClient(relay)).rejects.toThrow('closed with 4429');
    await relay.evict('hibernate');
    await expect(connectClient(relay)).rejects.toThrow('closed with 4429');
    await clients[0]?.[Symbol.asyncDispose]();
    await connectClient(relay);
  });
});

describe('sessions', () => {
  it('[SEC10] [RL14] beyond the limit are neither requested from the agent nor stored', async () => {
    const agent = await connectAgent(relay, { sessions: [] });
    await inventory(agent, SESSIONS_MAX + 50);
    const client = await connectClient(relay);
    client.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    expect(await client.message('error')).toMatchObject({ code: 'session_limit', request: 'c' });
    expect(await relay.sql('SELECT count(*) AS n FROM sessions')).toEqual([[{ n: SESSIONS_MAX }]]);
    agent.send({ type: 'session_gone', session: 's-1', reason: 'closed' });
    await agent.pong();
    client.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    await agent.message('from_client');
  });

  it('[SEC10] [RL11] are listed in pages of at most 64 KiB, all but the last with `more`', async () => {
    const agent = await connectAgent(relay, { sessions: [] });
    await inventory(agent, 400);
    const client = await connectClient(relay);
    client.send({ type: 'list_sessions', request: 'l' });
    const ids: string[] = [];
    for (let more = true; more; ) {
      const page = await client.message<ServerMessageOf<'session_list'>>('session_list');
      expect(JSON.stringify(page).length).toBeLessThanOrEqual(LIST_PAGE_MAX_BYTES);
      ids.push(...page.sessions.map(({ id }) => id));
      more = page.more ?? false;
    }
    expect(ids.sort()).toEqual(
      many(400)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('[RL11] an empty list is one empty page, and an entry that fits no page gets its own', () => {
    const lengthOf = (text: string) => text.length;
    expect(pagesOf([], lengthOf, 10)).toEqual([[]]);
    const texts = ['a', 'b'.repeat(20), 'c', 'd'];
    expect(pagesOf(texts, lengthOf, 10)).toEqual([['a'], ['b'.repeat(20)], ['c', 'd']]);
  });
});

describe('the saved layout', () => {
  it('[S1] is kept for a browser that has none, also while the agent is offline', async () => {
    const client = await connectClient(relay);
    client.send({ type: 'load_layout', request: '1' });
    expect(await client.message('layout')).toEqual({
      type: 'layout',
      request: '1',
      layout: null,
      savedAt: null,
    });
    const layout = { tabs: [{ session: 's1', name: 'Build' }], active: 's1' };
    client.send({ type: 'save_layout', request: '2', layout });
    expect(await client.message('layout')).toMatchObject({ request: '2', layout });
    await relay.evict('close');
    const viewer = await connectClient(relay, 'viewer');
    viewer.send({ type: 'load_layout', request: '3' });
    expect(await viewer.message('layout')).toMatchObject({ layout, savedAt: expect.stringMatching(/Z$/) });
    viewer.send({ type: 'save_layout', request: '4', layout });
    expect(await viewer.message('error')).toMatchObject({ code: 'forbidden', request: '4' });
  });

  it('[RL34] keeps which terminals share a tab when a page saves it that knows nothing of that', async () => {
    const client = await connectClient(relay);
    const tabs = ['a', 'b'].map((session) => ({ session, name: session }));
    const panes = { direction: 'row', percent: 40, first: { session: 'a' }, second: { session: 'b' } };
    const splits = [{ panes, active: 'a' }];
    client.send({ type: 'save_layout', request: '1', layout: { tabs, active: 'a', splits } });
    expect(await client.message('layout')).toMatchObject({ request: '1', layout: { splits } });
    client.send({ type: 'save_layout', request: '2', layout: { tabs, active: 'b' } });
    expect(await client.message('layout')).toMatchObject({ request: '2', layout: { active: 'b', splits } });
    client.send({ type: 'save_layout', request: '3', layout: { tabs, active: 'b', splits: [] } });
    expect(await client.message('layout')).toMatchObject({ request: '3', layout: { splits: [] } });
  });

  it('[S1] with the longest names still fits a message; one tab more is malformed', async () => {
    const client = await connectClient(relay);
    const tabs = Array.from({ length: 48 }, () => ({ session: 's'.repeat(64), name: 'n'.repeat(256) }));
    client.send({ type: 'save_layout', request: '1', layout: { tabs: tabs.slice(0, 45), active: null } });
    await client.message('layout');
    client.send({
      type: 'save_layout',
      request: '2',
      layout: { tabs: tabs.map((tab) => ({ ...tab, name: '' })).concat(tabs.slice(0, 1)), active: null },
    });
    expect((await client.closed).code).toBe(4400);
  });
});
