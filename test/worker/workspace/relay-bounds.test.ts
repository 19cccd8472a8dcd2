/**
 * What one hostile peer costs a real relay: deflate bombs, patterns, leaked connections, unread lists, and agents that
 * never stop.
 */
import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  CLIENT_HANDLES_MAX,
  PAYLOAD_MAX_BYTES,
  SESSIONS_MAX,
  SNAPSHOT_INFLATED_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
  TOKEN_CLIENTS_MAX,
  TURN_COST,
} from '../../../protocol/limits.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import { ApiClient } from '../../support/api-client.ts';
import { channelOf, connectAgent, connectClient, HANDLE, output } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.onWorkerd();
});

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

/** A relay whose objects can be put to sleep, instead of the one that starts quickly. */
async function hibernating(): Promise<void> {
  relay = await relays.start();
}

interface Asked extends Record<string, unknown> {
  readonly type: 'from_client';
  readonly channel: number;
  readonly message: { readonly type: string; readonly request: string };
}

/** Answers the next request for a snapshot: announced as `bytes` long, followed by `packed` in frames. */
async function answerSnapshot(agent: ScriptedPeer, packed: Uint8Array, bytes = packed.length): Promise<void> {
  const { channel, message } = await agent.message<Asked>('from_client');
  const taken: ServerMessageOf<'snapshot_taken'> = {
    type: 'snapshot_taken',
    request: message.request,
    session: 's1',
    handle: HANDLE,
    format: 'ansi',
    offset: 0,
    cols: 80,
    rows: 24,
    bytes,
  };
  agent.send({ type: 'to_client', channel, message: taken });
  for (let at = 0; at < packed.length; at += PAYLOAD_MAX_BYTES) {
    const piece = packed.subarray(at, at + PAYLOAD_MAX_BYTES);
    agent.send(encodeFrame({ kind: 'snapshot', channel, handle: HANDLE, offset: at }, piece));
  }
}

/** Answers the next attach from the beginning of the output; what follows is sent to the channel that is returned. */
async function attachTo(agent: ScriptedPeer): Promise<number> {
  const { channel, message } = await agent.message<Asked>('from_client');
  const tell = (told: object) => agent.send({ type: 'to_client', channel, message: told });
  const { request } = message;
  const session = sessionInfo('s1');
  tell({ type: 'session_reattached', request, session, handle: HANDLE, inputOffset: 0 });
  const at = { session: 's1', handle: HANDLE, kind: 'delta', from: 0, to: 0, lost: 0, cols: 80, rows: 24 };
  tell({ type: 'scrollback', ...at, bytes: 0 });
  return channel;
}

const clientsOf = async (api: ApiClient) =>
  (await api.ask<{ clients: number }>('GET', '/health')).body.clients;

/** Reads an answer to its end without keeping it; its status. */
async function unread(on: TestRelay, path: string): Promise<number> {
  const url = new URL(`/api/workspaces/${on.workspace}${path}`, on.url);
  const { body, status } = await fetch(url, { headers: await on.bearer('viewer') });
  for await (const _ of body ?? []);
  return status;
}

/** Resolves when the workspace has this many clients; polls the workspace, which changes nothing. */
async function untilClients(api: ApiClient, wanted: number): Promise<void> {
  while ((await clientsOf(api)) !== wanted);
}

describe('a snapshot', () => {
  it('[X2] of the maximum size is answered in full', async () => {
    const text = 'é"\n'.repeat(SNAPSHOT_INFLATED_MAX_BYTES / 4);
    const packed = deflateRawSync(Buffer.from(text));
    const agent = await connectAgent(relay);
    const api = await ApiClient.of(relay, 'viewer');
    const answer = api.ask<{ data: string }>('GET', '/sessions/s1/snapshot');
    await answerSnapshot(agent, packed);
    const { status, body } = await answer;
    expect([status, body.data === text]).toEqual([200, true]);
  });

  it.each([
    ['a byte more', SNAPSHOT_INFLATED_MAX_BYTES + 1],
    ['eight times as much', 8 * SNAPSHOT_INFLATED_MAX_BYTES],
  ])(
    '[X2] of %s when inflated is refused with 413, and the relay keeps running for others',
    async (_, bytes) => {
      // Before anything is connected: packing keeps this process busy for a while.
      const packed = deflateRawSync(Buffer.alloc(bytes));
      const agent = await connectAgent(relay);
      const api = await ApiClient.of(relay, 'viewer');
      const answer = api.ask('GET', '/sessions/s1/snapshot');
      await answerSnapshot(agent, packed);
      expect(await answer).toMatchObject({
        status: 413,
        body: { error: { code: 'snapshot_too_large', message: expect.stringContaining('scope=screen') } },
      });
      expect((await fetch(new URL('/health', relay.url))).status).toBe(200);
      await untilClients(api, 0);
    },
  );

  it('[X2] [RL21] announced as longer than allowed is refused before it arrives', async () => {
    const agent = await connectAgent(relay);
    const api = await ApiClient.of(relay, 'viewer');
    const answer = api.ask('GET', '/sessions/s1/snapshot');
    await answerSnapshot(agent, new Uint8Array(0), SNAPSHOT_MAX_BYTES + 1);
    expect((await answer).status).toBe(413);
  });

  it.each([
    ['is longer than announced', deflateRawSync(Buffer.from('text')), 3],
    ['is not deflate', new Uint8Array([0xff, 0xff]), 2],
  ])('[X2] that %s is refused with 502', async (_, packed, bytes) => {
    const agent = await connectAgent(relay);
    const api = await ApiClient.of(relay, 'viewer');
    const answer = api.ask('GET', '/sessions/s1/snapshot');
    await answerSnapshot(agent, packed, bytes);
    expect(await answer).toMatchObject({ status: 502, body: { error: { code: 'bad_agent' } } });
  });

  it('[X2] [RL21] in many large copies at once is sent or refused, within the memory of the relay', async () => {
    const packed = deflateRawSync(Buffer.alloc(20 * 1024 * 1024));
    const agent = await connectAgent(relay);
    // A zero byte is six characters in JSON: a hundred megabytes each, which nobody here needs to parse.
    const snapshot = () => unread(relay, '/sessions/s1/snapshot');
    const answers = Array.from({ length: 8 }, snapshot);
    for (const _ of answers) await answerSnapshot(agent, packed);
    const statuses = await Promise.all(answers);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    // Everything that was held has been released.
    const again = snapshot();
    await answerSnapshot(agent, packed);
    expect(await again).toBe(200);
  });
});

describe('a place for a connection', () => {
  it.each(['stream', 'wait?for=exit', 'wait?for=text&text=x', 'snapshot'])(
    '[X7] is not taken by HEAD …/%s',
    async (path) => {
      await connectAgent(relay);
      const api = await ApiClient.of(relay);
      const headers = await relay.bearer('viewer');
      const answer = await fetch(api.url(`/sessions/s1/${path}`), { method: 'HEAD', headers });
      expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, OPTIONS']);
      expect(await clientsOf(api)).toBe(0);
    },
  );

  it('[X7] is not taken by HEAD on a terminal, a socket or a list; public routes answer HEAD', async () => {
    await connectAgent(relay);
    const headers = await relay.bearer('operator');
    const head = async (path: string) =>
      (await fetch(new URL(path, relay.url), { method: 'HEAD', headers })).status;
    expect(await head('/terminal/ws?workspace=test')).toBe(405);
    expect(await head(`/ws/workspaces/${relay.workspace}`)).toBe(405);
    expect(await head(`/api/workspaces/${relay.workspace}/sessions`)).toBe(405);
    expect([await head('/health'), await head('/api/openapi.json')]).toEqual([200, 200]);
    expect(await clientsOf(await ApiClient.of(relay))).toBe(0);
  });

  it.each(['stream', 'wait?for=text&text=x&from=now', 'wait?for=text&text=x', 'snapshot'])(
    '[X7] is released if …/%s fails after it was opened',
    async (path) => {
      const agent = await connectAgent(relay);
      const api = await ApiClient.of(relay, 'viewer');
      const answer = api.ask('GET', `/sessions/s1/${path}`);
      const { channel, message } = await agent.message<Asked>('from_client');
      expect(await clientsOf(api)).toBe(1);
      const error = { type: 'error', code: 'session_missing', message: 'None.', session: 's1' };
      agent.send({ type: 'to_client', channel, message: { ...error, request: message.request } });
      expect((await answer).status).toBe(404);
      await untilClients(api, 0);
    },
  );

  it('[X7] is released when a wait is over, and when the reader of a stream has left', async () => {
    const agent = await connectAgent(relay);
    const api = await ApiClient.of(relay, 'viewer');
    expect((await api.ask('GET', '/sessions/s1/wait?for=exit&timeout=0.1')).status).toBe(408);
    await untilClients(api, 0);
    const gaveUp = new AbortController();
    const headers = await relay.bearer('viewer');
    const streaming = fetch(api.url('/sessions/s1/stream?since=0'), { headers, signal: gaveUp.signal });
    await attachTo(agent);
    expect((await streaming).status).toBe(200);
    expect(await clientsOf(api)).toBe(1);
    gaveUp.abort();
    await untilClients(api, 0);
  });

  it('[SEC21] [X8] [RL14] is refused to a token that has too many, also after a hibernation; another token gets one', async () => {
    await hibernating();
    const token = await relay.token('viewer');
    for (let i = 0; i < TOKEN_CLIENTS_MAX.viewer; i++) await connectClient(relay, 'viewer', token);
    await expect(connectClient(relay, 'viewer', token)).rejects.toThrow('4429 One token can have at most 32');
    await relay.evict('hibernate');
    await expect(connectClient(relay, 'viewer', token)).rejects.toThrow('4429 One token can have at most 32');
    const headers = { Authorization: `Bearer ${token}` };
    const url = new URL(`/api/workspaces/${relay.workspace}/sessions/s1/stream`, relay.url);
    const refused = await fetch(url, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { code: 'too_many_clients' } },
    ]);
    await connectClient(relay, 'viewer');
    await connectClient(relay, 'operator');
  });

  it('[X8] that a ticket takes counts for the token that bought it', async () => {
    const token = await relay.token('operator');
    const bought = await fetch(new URL(`/api/workspaces/${relay.workspace}/tickets`, relay.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ role: 'viewer' }),
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    for (let i = 0; i < TOKEN_CLIENTS_MAX.viewer; i++) await connectClient(relay, 'operator', token);
    const { ScriptedPeer: Peer } = await import('../../support/scripted-peer.ts');
    const page = await Peer.connect(
      new URL(`/ws/workspaces/${relay.workspace}`, relay.url),
      { Origin: relay.url.origin },
      ['holdfast.1', `holdfast.ticket.${ticket}`],
    );
    expect((await page.closed).code).toBe(4429);
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

describe('an agent that sends without a pause', () => {
  it('[X9] [RL17] does not slow other workspaces, and is neither closed nor loses anything', async () => {
    const agent = await connectAgent(relay);
    const token = await relay.token('operator', 'elsewhere');
    const other = await ScriptedPeer.connect(new URL('/ws/workspaces/elsewhere', relay.url), {
      Authorization: `Bearer ${token}`,
    });
    await other.message('agent_state');
    // Long messages, so that the relay takes longer to read them than we to send them.
    const session = sessionInfo('s1', { title: 'x'.repeat(60_000) });
    // Enough of them for several round trips, even if this process waits for its turn on a busy machine.
    for (let i = 0; i < 6 * TURN_COST; i++) agent.send({ type: 'session_changed', session });
    agent.send({ type: 'ask_presence', question: 'the last' });
    let isOver = false;
    const last = agent.message<{ type: string; question: string }>('presence').finally(() => {
      isOver = true;
    });
    let answered = 0;
    for (; !isOver && answered < 20; answered++) {
      other.send({ type: 'load_layout', request: `${answered}` });
      await other.message('layout');
    }
    // Without pauses the first answer comes after all of them.
    expect(answered).toBeGreaterThan(5);
    expect((await last).question).toBe('the last');
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

describe('a search', () => {
  it('[X3] for the costliest pattern does not slow others while it runs', async () => {
    const agent = await connectAgent(relay);
    const api = await ApiClient.of(relay, 'viewer');
    const query = new URLSearchParams({ for: 'text', pattern: '[^a].{250}\t!', since: '0' });
    const answer = api.ask('GET', `/sessions/s1/wait?${query}`);
    const channel = await attachTo(agent);
    // Many times the cost of one slice, and then the text it searches for.
    let random = 7;
    const text = Array.from({ length: 20_000 }, () => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return 'abc'[(random >>> 16) % 3];
    }).join('');
    agent.send(output(channel, 0, text));
    agent.send(output(channel, text.length, `b${'x'.repeat(250)}\t!`));
    let isOver = false;
    void answer.finally(() => {
      isOver = true;
    });
    let answered = 0;
    for (; !isOver; answered++) expect((await fetch(new URL('/health', relay.url))).status).toBe(200);
    expect(await answer).toMatchObject({ status: 200 });
    expect(answered).toBeGreaterThan(3);
    await untilClients(api, 0);
  });

  it('[X3] [RL22] for a pattern that is too large is refused before anything is opened', async () => {
    const api = await ApiClient.of(relay, 'viewer');
    const query = new URLSearchParams({ for: 'text', pattern: '[^a].{980}\t!|[^b].{980}\t!' });
    const { status, body } = await api.ask('GET', `/sessions/s1/wait?${query}`);
    expect([status, body]).toMatchObject([400, { error: { code: 'bad_pattern' } }]);
  });
});
