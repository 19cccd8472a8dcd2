/** What the HTTP API costs a real relay at most: deflate bombs, leaked connections, patterns. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  SNAPSHOT_INFLATED_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
  TOKEN_CLIENTS_MAX,
  VIEWER_READS_MAX,
} from '../../../protocol/limits.ts';
import { ApiClient } from '../../support/api-client.ts';
import { hibernating, relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { connectAgent, connectClient, output } from '../../support/relay-story.ts';
import {
  type Asked,
  answerSnapshot,
  answerSnapshots,
  attachTo,
  clientsOf,
  unread,
  untilClients,
} from './api-peers.ts';

startsWorkspaces();

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
    const answers = Promise.all(Array.from({ length: 8 }, snapshot));
    // Those that are refused at once do not reach the agent.
    const answering = answerSnapshots(agent, packed);
    const statuses = await answers;
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    // Everything that was held has been released.
    expect(await snapshot()).toBe(200);
    await agent[Symbol.asyncDispose]();
    await answering;
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

describe('reads of a viewer', () => {
  it.each([
    ['/sessions/s1/snapshot', 'take_snapshot', '/sessions/s1/commands', 'list_commands'],
    ['/sessions/s1/commands', 'list_commands', '/sessions/s1/snapshot', 'take_snapshot'],
    ['/sessions/s1/commands/1/output', 'take_snapshot', '/sessions/s1/commands', 'list_commands'],
    ['/digest?since=2026-11-17T10:00:00Z', 'read_digest', '/sessions/s1/commands', 'list_commands'],
  ])(
    '[SEC21] [RL24] of %s wait for each other before they reach the agent',
    async (path, type, others, other) => {
      const agent = await connectAgent(relay);
      const [one, two] = [await ApiClient.of(relay, 'viewer'), await ApiClient.of(relay, 'viewer')];
      const pending = Array.from({ length: VIEWER_READS_MAX + 1 }, () => one.ask('GET', path));
      const asked: Asked[] = [];
      const asks = async () => void asked.push(await agent.message<Asked>('from_client'));
      for (let i = 0; i < VIEWER_READS_MAX; i++) await asks();
      pending.push(two.ask('GET', others));
      await asks();
      const types = () => asked.map(({ message }) => message.type);
      expect(types()).toEqual([...Array.from({ length: VIEWER_READS_MAX }, () => type), other]);
      const refuse = ({ channel, message: { request } }: Asked) => {
        const message = { type: 'error', code: 'session_missing', message: 'It is gone.', request };
        agent.send({ type: 'to_client', channel, message });
      };
      asked.forEach(refuse);
      await asks();
      expect(types().at(-1), 'it was waiting').toBe(type);
      asked.slice(-1).forEach(refuse);
      expect((await Promise.all(pending)).map(({ status }) => status)).toEqual(pending.map(() => 404));
    },
  );
});
