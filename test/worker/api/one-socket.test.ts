/** How many client sockets a request over HTTP opens, counted at the workspace's object. */
import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import { ApiClient } from '../../support/api-client.ts';
import { bytes, connectAgent, HANDLE, output } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
let agent: ScriptedPeer;
let api: ApiClient;
let before: number;
beforeEach(async () => {
  relay = await relays.onWorkerd();
  agent = await connectAgent(relay);
  api = await ApiClient.of(relay);
  before = (await relay.counts()).sockets;
});

const opened = async () => (await relay.counts()).sockets - before;

interface Asked extends Record<string, unknown> {
  readonly channel: number;
  readonly message: { readonly type: string; readonly request: string; readonly from?: number };
}

const SIZE = { cols: 80, rows: 24 };

async function asked(type: string): Promise<Asked> {
  for (;;) {
    const question = await agent.message<Asked & { type: string }>('from_client');
    if (question.message.type === type) return question;
  }
}

/** Answers the next request for a snapshot; it shows the output up to `offset`. */
async function answerSnapshot(text: string, offset: number): Promise<void> {
  const { channel, message } = await asked('take_snapshot');
  const packed = new Uint8Array(deflateRawSync(text));
  const taken = { session: 's1', handle: HANDLE, format: 'text', offset, ...SIZE, bytes: packed.length };
  const { request } = message;
  agent.send({ type: 'to_client', channel, message: { type: 'snapshot_taken', request, ...taken } });
  agent.send(encodeFrame({ kind: 'snapshot', channel, handle: HANDLE, offset: 0 }, packed));
}

/** Answers the next attach with output, or with a screen when `packed` is given. */
async function answerAttach(from: number, to: number, packed?: Uint8Array<ArrayBuffer>): Promise<Asked> {
  const question = await asked('reattach_session');
  const { channel, message } = question;
  const tell = (told: object) => agent.send({ type: 'to_client', channel, message: told });
  const session = sessionInfo('s1');
  tell({ type: 'session_reattached', request: message.request, session, handle: HANDLE, inputOffset: 0 });
  const [kind, length] = packed === undefined ? ['delta', 0] : ['snapshot', packed.length];
  const replay = { session: 's1', handle: HANDLE, kind, from, to, lost: 0, ...SIZE, bytes: length };
  tell({ type: 'scrollback', ...replay });
  if (packed !== undefined)
    agent.send(encodeFrame({ kind: 'snapshot', channel, handle: HANDLE, offset: 0 }, packed));
  return question;
}

describe('a wait opens one socket', () => {
  it('[R2] for the end of a program, which it is told', async () => {
    const answer = api.ask('GET', '/sessions/s1/wait?for=exit');
    await expect.poll(opened).toBe(1);
    // The registry was asked when this is answered: both go through the object in order.
    await api.session('s1');
    const exited = { type: 'session_exited', session: 's1', exitCode: 3, signal: null, offset: 0 };
    agent.send({ type: 'to_clients', message: exited });
    expect(await answer).toMatchObject({ status: 200, body: { exitCode: 3, signal: null } });
    expect(await opened()).toBe(1);
  });

  it('[R2] for the end of a program that has ended, and for a session that is unknown', async () => {
    agent.send({ type: 'session_changed', session: sessionInfo('s1', { status: 'exited', exitCode: 4 }) });
    await agent.pong();
    const { body } = await api.ask('GET', '/sessions/s1/wait?for=exit');
    expect([body, await opened()]).toEqual([{ exitCode: 4, signal: null }, 1]);
    expect((await api.ask('GET', '/sessions/nobody/wait?for=exit')).status).toBe(404);
    expect(await opened()).toBe(2);
  });

  it('[R11] for an end that the registry knows, while the machine is away', async () => {
    agent.send({ type: 'session_changed', session: sessionInfo('s1', { status: 'exited', exitCode: 4 }) });
    await agent.pong();
    agent.terminate();
    await expect
      .poll(async () => (await api.ask<{ agent: { state: string } }>('GET', '/health')).body.agent.state)
      .toBe('offline');
    const { body } = await api.ask('GET', '/sessions/s1/wait?for=exit');
    expect([body, await opened()]).toEqual([{ exitCode: 4, signal: null }, 1]);
  });

  it('[R2] for the end of a program that ends while the machine is away', async () => {
    const answer = api.ask('GET', '/sessions/s1/wait?for=exit');
    await expect.poll(opened).toBe(1);
    agent.terminate();
    await connectAgent(relay, { sessions: [sessionInfo('s1', { status: 'exited', exitCode: 5 })] });
    expect((await answer).body).toEqual({ exitCode: 5, signal: null });
    // The other one is the machine's.
    expect(await opened()).toBe(2);
  });

  it('[R2] for text: the screen and the output after it', async () => {
    const answer = api.waitFor('s1', { text: 'needle' });
    await answerSnapshot('no such text\n', 20);
    const { channel, message } = await answerAttach(0, 20);
    expect(message.from).toBe(0);
    agent.send(output(channel, 0, 'nothing to find here'));
    agent.send(output(channel, 20, 'a needle'));
    expect((await answer).body).toEqual({ text: 'a needle' });
    expect(await opened()).toBe(1);
  });

  it('[R2] for text, and ends in time although the screen takes longer to search', async () => {
    const answer = api.ask('GET', '/sessions/s1/wait?for=text&text=needle&timeout=0.05');
    // At 25 million steps a second it takes a second to get to the end.
    await answerSnapshot(`${'x'.repeat(25_000_000)} needle`, 20);
    expect(await answer).toMatchObject({ status: 408, body: { error: { code: 'timeout' } } });
  });

  it('[R2] for text that an ordinary screen shows, even without time', async () => {
    const answer = api.ask('GET', '/sessions/s1/wait?for=text&text=needle&timeout=0');
    await answerSnapshot('a needle', 20);
    expect(await answer).toMatchObject({ status: 200, body: { text: 'a needle' } });
  });

  it('[R2] [D6] for text, also when the output before it is gone', async () => {
    const answer = api.waitFor('s1', { text: 'needle' });
    await answerSnapshot('no such text\n', 20);
    await answerAttach(20, 20, new Uint8Array(deflateRawSync(bytes('an old needle'))));
    const { channel, message } = await answerAttach(20, 20);
    expect(message.from).toBe(20);
    agent.send(output(channel, 20, 'a new needle'));
    expect((await answer).body).toEqual({ text: 'a new needle' });
    expect(await opened()).toBe(1);
  });
});

describe('other requests open one socket', () => {
  it('[R2] renaming, with the answer', async () => {
    const answer = api.ask('PATCH', '/sessions/s1', { name: 'new' });
    await asked('rename_session');
    agent.send({ type: 'session_changed', session: sessionInfo('s1', { name: 'new' }) });
    agent.send({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name: 'new' } });
    expect(await answer).toMatchObject({ status: 200, body: { id: 's1', name: 'new' } });
    expect(await opened()).toBe(1);
  });

  it('[IN8] input, over a reconnect of the machine; in another epoch the outcome is unknown', async () => {
    const answer = api.type('s1', 'abc');
    await answerAttach(0, 0);
    const again = await connectAgent(relay);
    agent.terminate();
    agent = again;
    const { channel, message } = await asked('reattach_session');
    const session = sessionInfo('s1');
    const met = { request: message.request, session, handle: HANDLE, inputOffset: 1 };
    agent.send({ type: 'to_client', channel, message: { type: 'session_reattached', ...met } });
    expect(await agent.frame()).toMatchObject({ kind: 'input', offset: 1, payload: bytes('bc') });
    agent.send(encodeFrame({ kind: 'ack', channel, handle: HANDLE, offset: 3 }));
    expect(await answer).toMatchObject({ status: 200, body: { bytes: 3 } });
    // The other one is the machine's.
    expect(await opened()).toBe(2);
    const other = api.type('s1', 'abc');
    await answerAttach(0, 0);
    const restarted = await connectAgent(relay, {
      epoch: 'epoch-2',
      sessions: [sessionInfo('s1', { epoch: 'epoch-2' })],
    });
    agent.terminate();
    agent = restarted;
    const asking = await asked('reattach_session');
    const changed = {
      ...met,
      request: asking.message.request,
      session: sessionInfo('s1', { epoch: 'epoch-2' }),
      inputOffset: 0,
    };
    agent.send({
      type: 'to_client',
      channel: asking.channel,
      message: { type: 'session_reattached', ...changed },
    });
    expect(await other).toMatchObject({ status: 504, body: { error: { code: 'unknown_outcome' } } });
  });
});
