/**
 * Everything that the relay does counts in the work of its isolate, and waits for others when that is too much. The
 * objects are the real ones, without a network; the count is set to just below its limit.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import { UNBROKEN_COST } from '../../../protocol/limits.ts';
import { createApp } from '../../../worker/app.ts';
import { type Caller, passCaller } from '../../../worker/gate/caller.ts';
import { unbrokenWork } from '../../../worker/metering/unbroken-work.ts';
import type { Time } from '../../../worker/platform/time.ts';
import { TerminalInlet } from '../../../worker/workspace/terminal-inlet.ts';
import { Workspace } from '../../../worker/workspace/workspace.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';
import { CREDENTIAL, rememberingSocket } from './room-without-network.ts';

vi.mock('cloudflare:workers', () => ({
  DurableObject: class {
    readonly ctx: unknown;
    constructor(ctx: unknown) {
      this.ctx = ctx;
    }
  },
}));

beforeEach(() => {
  unbrokenWork.looked(unbrokenWork.looks);
  unbrokenWork.spend(UNBROKEN_COST - 0.1);
});
afterEach(() => {
  unbrokenWork.looked(unbrokenWork.looks);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const CALLER: Caller = { role: 'operator', credential: CREDENTIAL, isPage: false, client: 'api' };
const frame = (kind: 'input' | 'output') =>
  encodeFrame({ kind, channel: 0, handle: 1, offset: 0 }).buffer as ArrayBuffer;

/** A workspace with an agent and an operator, woken from their attachments, and the pauses it makes. */
function openWorkspace() {
  const [agent, client, closed] = [rememberingSocket(), rememberingSocket(), rememberingSocket()];
  const seat = { credential: CREDENTIAL, connectedAt: 0 };
  agent.serializeAttachment({ ...seat, role: 'agent', generation: 1, graceMs: 0, saidHello: true });
  client.serializeAttachment({ ...seat, role: 'operator', channel: 7, generation: 1, handles: [1] });
  closed.serializeAttachment(null);
  const pauses: { ms: number; ended: () => void }[] = [];
  const time: Time = {
    now: () => 1000,
    heartbeatAt: () => null,
    setAlarm() {},
    pause: (ms, ended) => void pauses.push({ ms, ended }),
    reset() {},
  };
  const sockets = [agent, client, closed];
  const ctx = { storage: { sql: sqliteStorage().sql }, getWebSockets: () => sockets, acceptWebSocket() {} };
  const workspace = new Workspace(ctx as never, { SELF_HOSTED: 'http' }, time);
  return { workspace, agent, client, closed, pauses };
}
type Opened = ReturnType<typeof openWorkspace>;

const EVENTS: Readonly<Record<string, (opened: Opened) => unknown>> = {
  "a client's heartbeat": ({ workspace, client }) => workspace.webSocketMessage(client, 'ping'),
  "a client's message": ({ workspace, client }) =>
    workspace.webSocketMessage(client, '{"type":"load_layout","request":"r"}'),
  "a client's frame": ({ workspace, client }) => workspace.webSocketMessage(client, frame('input')),
  'a message of a peer that was closed': ({ workspace, closed }) =>
    workspace.webSocketMessage(closed, 'ping'),
  "an agent's message": ({ workspace, agent }) =>
    workspace.webSocketMessage(agent, '{"type":"ask_presence","question":"link"}'),
  "an agent's frame": ({ workspace, agent }) => workspace.webSocketMessage(agent, frame('output')),
  'a malformed message': ({ workspace, client }) => workspace.webSocketMessage(client, 'no json'),
  'a request for its state': ({ workspace }) => workspace.health(CALLER),
  'a request for its list': ({ workspace }) => workspace.sessions(CALLER, { key: null, missingToo: false }),
};

describe('in a workspace', () => {
  it.each(Object.entries(EVENTS))('[SEC21] [RL17] %s counts in the work of the isolate', (_, event) => {
    const opened = openWorkspace();
    event(opened);
    expect(opened.pauses, 'it waits until others were looked at').toHaveLength(1);
    expect(opened.pauses[0]?.ms, 'although its own turn lasts').toBeLessThan(1);
    opened.pauses[0]?.ended();
    expect(unbrokenWork.isTooMuch, 'then everybody continues').toBe(false);
  });

  it('[SEC21] [RL17] a connection counts too, and whoever works next waits', () => {
    const { workspace } = openWorkspace();
    vi.stubGlobal(
      'WebSocketPair',
      class {
        readonly 0 = rememberingSocket();
        readonly 1 = rememberingSocket();
      },
    );
    // Node allows no answer of status 101.
    vi.stubGlobal('Response', class {});
    workspace.fetch(new Request('http://relay/', { headers: passCaller(CALLER) }));
    expect(unbrokenWork.isTooMuch).toBe(true);
  });
});

it('[SEC21] [RL17] a message in single-terminal mode counts in the work of the isolate', async () => {
  const pauses: (() => Promise<void>)[] = [];
  const ctx = {
    getTags: () => ['outside/terminal/workspace'],
    getWebSockets: () => [],
    blockConcurrencyWhile: (pause: () => Promise<void>) => void pauses.push(pause),
  };
  const Inlet = TerminalInlet as unknown as new (ctx: unknown) => TerminalInlet;
  new Inlet(ctx).webSocketMessage(rememberingSocket(), '');
  expect(pauses).toHaveLength(1);
  await pauses[0]?.();
  expect(unbrokenWork.isTooMuch).toBe(false);
});

it('[SEC21] [RL17] a request counts in the work of the isolate, and waits if that is too much', async () => {
  vi.useFakeTimers();
  const app = createApp();
  const answers: number[] = [];
  const ask = async () => void answers.push((await app.request('/health', {}, {})).status);
  await ask();
  expect(answers, 'the first just begins').toEqual([200]);
  expect(unbrokenWork.isTooMuch).toBe(true);
  const second = ask();
  expect(vi.getTimerCount(), 'the next waits for a timer').toBe(1);
  await vi.runAllTimersAsync();
  await second;
  expect(answers).toEqual([200, 200]);
});
