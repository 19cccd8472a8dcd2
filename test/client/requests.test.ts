/** Requests with a time limit, input that is typed once, and waiting for an exit, against a scripted relay. */
import { beforeEach, describe, expect, it } from 'vitest';
import { NoAnswer } from '../../client/requests/requests.ts';
import { sessionExit } from '../../client/session-exit.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import { Refusal } from '../../protocol/errors.ts';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES, SNAPSHOT_FRAME_WITHIN_MS, SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { FakeNetwork } from '../support/socket-pair.ts';

const HANDLE = 7;
const WITHIN = { withinMs: 5_000 };

let clock: FakeClock;
let network: FakeNetwork;
let client: WorkspaceClient;
beforeEach(() => {
  clock = new FakeClock();
  network = new FakeNetwork();
  client = new WorkspaceClient({
    ...{ dial: network.dial, clock, random: () => 0.5, watched: () => true, instance: 'key' },
    inflate: async (bytes) => bytes,
  });
});

const says = (message: ServerMessage) => network.latest.send(JSON.stringify(message));

function connects(generation = 1, state: 'online' | 'offline' = 'online'): void {
  network.latest.accept();
  agentIs(state, generation);
}

function agentIs(state: 'online' | 'offline', generation: number): void {
  says({ type: 'agent_state', agent: { state, since: null, epoch: 'epoch-1', generation } });
}

/** The newest message of a type that the relay was sent on this connection. */
function asked<T extends ClientMessage['type']>(type: T): ClientMessageOf<T> & { readonly request: string } {
  const messages = network.latest.heard.flatMap((frame) =>
    typeof frame === 'string' && frame !== 'ping' ? [JSON.parse(frame) as ClientMessage] : [],
  );
  return messages.filter((message) => message.type === type).at(-1) as never;
}

const inputs = () =>
  network.latest.heard
    .flatMap((frame) => (typeof frame === 'string' ? [] : [decodeFrame(frame)]))
    .filter(({ kind }) => kind === 'input')
    .map(({ offset, payload }) => [offset, new TextDecoder().decode(payload)]);

/** How a promise was settled, in words. */
async function settled(outcome: Promise<unknown>): Promise<string> {
  try {
    return `done ${JSON.stringify(await outcome) ?? ''}`.trim();
  } catch (error) {
    if (error instanceof NoAnswer) return 'no answer';
    return error instanceof Refusal ? error.code : String(error);
  }
}

describe('a request', () => {
  it('is answered by the message of its kind, or refused', async () => {
    connects();
    const done = client.requests.ask(
      { type: 'resize', session: 's1', cols: 9, rows: 8, takeOver: true },
      WITHIN,
    );
    const { request } = asked('resize');
    says({ type: 'session_resized', request, session: 's1', cols: 9, rows: 8 });
    expect(await done).toMatchObject({ cols: 9, rows: 8 });
    const refused = client.requests.ask({ type: 'read_metrics' }, WITHIN);
    says({ type: 'error', code: 'forbidden', message: 'No.', request: asked('read_metrics').request });
    expect(await settled(refused)).toBe('forbidden');
    const wrong = client.requests.ask({ type: 'read_metrics' });
    says({ type: 'sessions_refreshed', request: asked('read_metrics').request });
    await expect(wrong).rejects.toThrow('read_metrics was answered by sessions_refreshed');
  });

  it('for a new name or an end is answered by what everybody is told of that session', async () => {
    connects();
    let isOver = false;
    const renamed = client.requests.ask({ type: 'rename_session', session: 's1', name: 'n' }, WITHIN);
    void renamed.then(() => {
      isOver = true;
    });
    says({ type: 'session_renamed', session: 's2', name: 'n' });
    says({ type: 'session_closed', session: 's1', reason: 'closed' });
    await Promise.resolve();
    expect(isOver).toBe(false);
    says({ type: 'session_renamed', session: 's1', name: 'n' });
    expect(await renamed).toMatchObject({ name: 'n' });
  });

  it('has no answer when the time is up, the connection is lost or the agent was replaced: the outcome is unknown', async () => {
    connects();
    const late = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    clock.advance(WITHIN.withinMs);
    expect(await settled(late)).toBe('no answer');
    const replaced = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    agentIs('online', 2);
    expect(await settled(replaced)).toBe('no answer');
    const lost = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    network.latest.cut();
    expect(await settled(lost)).toBe('no answer');
  });

  it('that cannot be sent is refused, and the outcome is known', async () => {
    const unsent = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    expect(await settled(unsent)).toBe('agent_offline');
  });

  it('leaves no timer behind', async () => {
    connects();
    const before = clock.pending;
    const done = client.requests.ask({ type: 'read_metrics' }, WITHIN);
    expect(clock.pending).toBe(before + 1);
    says({ type: 'metrics', request: asked('read_metrics').request, text: '' });
    await done;
    expect(clock.pending).toBe(before);
  });
});

describe('the bytes of a snapshot', () => {
  const taken = (bytes: number) =>
    ({
      ...{ type: 'snapshot_taken', request: asked('take_snapshot').request, session: 's1', handle: HANDLE },
      ...({ format: 'text', offset: 9, cols: 80, rows: 24, bytes } as const),
    }) as ServerMessage;
  const piece = (offset: number, text: string) =>
    network.latest.send(
      encodeFrame({ kind: 'snapshot', channel: 1, handle: HANDLE, offset }, new TextEncoder().encode(text)),
    );
  const take = (options: object = {}) =>
    client.requests.ask({ type: 'take_snapshot', session: 's1', format: 'text' }, { ...WITHIN, ...options });
  const acknowledged = () =>
    network.latest.heard.filter((frame) => typeof frame !== 'string' && decodeFrame(frame).kind === 'ack')
      .length;

  it('[X2] [RL21] that come in pieces without bytes end the connection, because their number has no limit', async () => {
    connects();
    const done = take().catch((error) => error.message);
    says(taken(4));
    piece(0, '');
    expect(client.state).toMatchObject({ name: 'refused', why: 'a piece of a snapshot without bytes' });
    await done;
  });

  it('come piece by piece, in time each, and are acknowledged', async () => {
    connects();
    const pieces: string[] = [];
    const done = take({ piece: (bytes: Uint8Array) => pieces.push(new TextDecoder().decode(bytes)) });
    says(taken(4));
    clock.advance(SNAPSHOT_FRAME_WITHIN_MS - 1);
    network.latest.send('pong');
    piece(0, 'ab');
    clock.advance(SNAPSHOT_FRAME_WITHIN_MS - 1);
    network.latest.send('pong');
    piece(2, 'cd');
    expect(await done).toMatchObject({ offset: 9 });
    expect([pieces, acknowledged()]).toEqual([['ab', 'cd'], 1]);
  });

  it('that stop coming are given up', async () => {
    connects();
    const stopped = take();
    says(taken(4));
    piece(0, 'ab');
    network.passes(clock, SNAPSHOT_FRAME_WITHIN_MS);
    expect(await settled(stopped)).toBe('no answer');
  });

  it('that the caller cannot take end its request, and nothing else', async () => {
    connects();
    const full = take({
      piece: () => {
        throw new Error('no room');
      },
    });
    says(taken(4));
    piece(0, 'ab');
    expect(await settled(full)).toBe('Error: no room');
    piece(2, 'cd');
    expect([client.state.name, acknowledged()]).toEqual(['live', 1]);
  });

  it('[X2] [RL21] that are announced as too many close the connection; the caller is told before', async () => {
    connects();
    const tooMany = take({
      announced: (bytes: number) => {
        throw new Error(`${bytes} bytes`);
      },
    });
    says(taken(SNAPSHOT_MAX_BYTES + 1));
    expect(await settled(tooMany)).toBe(`Error: ${SNAPSHOT_MAX_BYTES + 1} bytes`);
    expect(client.state).toMatchObject({ name: 'refused', code: CLOSE.protocolError });
  });
});

describe('input that is typed once', () => {
  const type = (text: string, once = 'digest') =>
    client.requests.typeOnce('s1', new TextEncoder().encode(text), { once, ...WITHIN });
  const met = (inputOffset: number, info: Partial<SessionInfo> = {}) =>
    says({
      type: 'session_reattached',
      request: asked('reattach_session').request,
      session: sessionInfo('s1', info),
      handle: HANDLE,
      inputOffset,
    });
  const acknowledges = (offset: number) =>
    network.latest.send(encodeFrame({ kind: 'ack', channel: 1, handle: HANDLE, offset }));

  it('[IN8] is the whole stream of the instance: only what is missing is sent', async () => {
    connects();
    const typed = type('abc');
    expect(asked('reattach_session')).toMatchObject({ instance: 'key', once: 'digest', hidden: true });
    met(1);
    expect(inputs()).toEqual([[1, 'bc']]);
    acknowledges(3);
    expect(await settled(typed)).toBe('done');
    const again = type('abc');
    met(3);
    expect([await settled(again), inputs()]).toEqual(['done', [[1, 'bc']]]);
  });

  it('[IN8] goes on after reconnects of either link', async () => {
    connects();
    const typed = type('abc');
    met(0);
    network.latest.cut();
    clock.advance(1_000);
    connects(1);
    met(1);
    expect(inputs()).toEqual([[1, 'bc']]);
    agentIs('offline', 1);
    agentIs('online', 2);
    met(2);
    expect(inputs().at(-1)).toEqual([2, 'c']);
    acknowledges(3);
    expect(await settled(typed)).toBe('done');
  });

  it('[IN4] [IN8] is not sent to another epoch: the outcome is unknown', async () => {
    connects();
    const typed = type('abc');
    met(0);
    agentIs('online', 2);
    met(0, { epoch: 'epoch-2' });
    expect([await settled(typed), inputs()]).toEqual(['no answer', [[0, 'abc']]]);
  });

  it('[IN8] is refused while the machine is away, unless some of it may have arrived', async () => {
    connects(1, 'offline');
    expect(await settled(type('abc'))).toBe('agent_offline');
    agentIs('online', 2);
    const typed = type('abc');
    met(0);
    agentIs('offline', 2);
    clock.advance(WITHIN.withinMs);
    expect(await settled(typed)).toBe('no answer');
  });

  it('[IN8] is refused as a whole, or its outcome is unknown', async () => {
    connects();
    const refused = (text: string) => {
      const typed = type(text);
      met(0);
      says({ type: 'error', code: 'input_backlog', message: 'Full.', session: 's1' });
      return settled(typed);
    };
    expect(await refused('abc')).toBe('input_backlog');
    expect(await refused('x'.repeat(PAYLOAD_MAX_BYTES + 1))).toBe('no answer');
    const conflict = type('abc');
    const { request } = asked('reattach_session');
    says({ type: 'error', code: 'input_conflict', message: 'Other.', session: 's1', request });
    expect(await settled(conflict)).toBe('input_conflict');
    const ended = type('abc');
    met(0, { status: 'exited' });
    expect(await settled(ended)).toBe('session_exited');
  });

  it('has no answer when the client leaves, or when it takes too long', async () => {
    connects();
    const late = type('abc');
    met(0);
    network.passes(clock, WITHIN.withinMs);
    expect(await settled(late)).toBe('no answer');
    const left = type('abc');
    client.leave();
    expect([await settled(left), await settled(type('abc'))]).toEqual(['no answer', 'no answer']);
  });
});

describe('waiting for an exit', () => {
  const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
  const lists = (...sessions: SessionInfo[]) =>
    says({ type: 'session_list', request: asked('list_sessions').request, agent, sessions });
  const gone = (info: Partial<SessionInfo>) => sessionInfo('s1', info);

  it('ends when everybody is told, and attaches nothing', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    expect(asked('list_sessions')).toMatchObject({ session: 's1' });
    lists(sessionInfo('s1'));
    says({ type: 'session_exited', session: 's2', exitCode: 1, signal: null, offset: 0 });
    says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
    expect(await settled(exit)).toBe('done {"exitCode":null,"signal":"SIGHUP"}');
    expect(asked('reattach_session')).toBeUndefined();
  });

  it.each([
    [{ status: 'exited', exitCode: 3 }, 'done {"exitCode":3,"signal":null}'],
    [{ status: 'exited', endedBy: 'idle' }, 'session_missing'],
    [{ status: 'lost' }, 'session_missing'],
  ] as const)('ends with what the registry knows: %j', async (info, outcome) => {
    connects(1, 'offline');
    const exit = sessionExit(client, 's1');
    lists(gone(info));
    expect(await settled(exit)).toBe(outcome);
  });

  it('looks only at its own session, also in the whole list of an older relay', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    lists(sessionInfo('s2', { status: 'exited', exitCode: 3 }));
    expect(await settled(exit)).toBe('session_missing');
  });

  it('asks again after every reconnect, of either link', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    network.latest.cut();
    clock.advance(1_000);
    connects(1, 'offline');
    lists(sessionInfo('s1'));
    agentIs('online', 2);
    lists(gone({ status: 'exited', exitCode: 0 }));
    expect(await settled(exit)).toBe('done {"exitCode":0,"signal":null}');
  });

  it('has no answer when the client is refused', async () => {
    connects();
    const exit = sessionExit(client, 's1');
    network.latest.close(CLOSE.unauthorized, 'Revoked.');
    expect(await settled(exit)).toBe('no answer');
  });
});
