/** The cost of a frame in the relay: its header is read, a socket is looked up, the buffer is forwarded. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeFrame, encodeFrame } from '../../../protocol/frame.ts';
import { AuditJournal } from '../../../worker/audit/audit-journal.ts';
import type { AuditTrail } from '../../../worker/audit/audit-trail.ts';
import type { Peer } from '../../../worker/peers/peer.ts';
import type { Registry } from '../../../worker/registry/registry.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';

const HANDLE = 7;
const CHANNEL = 1;
const seat = { credential: { tokenId: 'token-id', issuedAt: 0, expiresAt: 9e15 }, connectedAt: 0 };
const AGENT: Peer = { role: 'agent', generation: 1, graceMs: 0, sessionsHaveGraces: false, ...seat };
const CLIENT: Peer = { role: 'operator', channel: CHANNEL, generation: 1, handles: [HANDLE], ...seat };

/** A socket as the object finds it when it wakes up: with an attachment, and a way out. */
function wokenSocket(peer: Peer) {
  const sent: ArrayBuffer[] = [];
  const attachments: Peer[] = [];
  const socket = {
    deserializeAttachment: () => peer,
    serializeAttachment: (next: Peer) => void attachments.push(next),
    send: (data: ArrayBuffer) => void sent.push(data),
  };
  return { socket: socket as unknown as WebSocket, sent, attachments };
}

/** A workspace of one agent and one attached client, whose registry must not be used from now on. */
function workspace(journal: AuditJournal | null = null) {
  const agent = wokenSocket(AGENT);
  const client = wokenSocket(CLIENT);
  const registry = new Proxy({} as Registry, {
    get: (_, question) => {
      throw new Error(`the registry was asked: ${String(question)}`);
    },
  });
  const time = {
    now: () => 0,
    heartbeatAt: () => null,
    setAlarm: () => {},
    pause: () => {},
    reset: () => {},
  };
  const room = new WorkspaceSockets(registry, [agent.socket, client.socket], time, journal);
  return { room, agent, client };
}

/** Forwards `frame` as the object does, with JSON disabled: any use of it would be detected. */
function pass(
  room: WorkspaceSockets,
  from: WebSocket,
  peer: Peer,
  frame: Uint8Array<ArrayBuffer>,
): ArrayBuffer {
  const buffer = frame.slice().buffer;
  const broken = () => {
    throw new Error('JSON on the path of a frame');
  };
  vi.spyOn(JSON, 'parse').mockImplementation(broken);
  vi.spyOn(JSON, 'stringify').mockImplementation(broken);
  expect(room.pace.admits(from, peer, buffer, 0)).toBe(true);
  expect(room.frames.forward(from, peer, buffer, 0), 'nothing to wait for').toBeUndefined();
  vi.restoreAllMocks();
  return buffer;
}

afterEach(() => void vi.restoreAllMocks());

describe('a frame', () => {
  it('[S1] of output reaches its clients without the registry, JSON or a copy', () => {
    const { room, agent, client } = workspace();
    const output = encodeFrame(
      { kind: 'output', channel: 0, handle: HANDLE, offset: 0 },
      Uint8Array.of(104, 105),
    );
    const buffer = pass(room, agent.socket, AGENT, output);
    expect(client.sent).toHaveLength(1);
    expect(client.sent[0], 'the buffer that came').toBe(buffer);
    expect([...agent.attachments, ...client.attachments], 'attachments written').toEqual([]);
  });

  it('[S1] of input reaches the agent in the same way, with the channel that the relay assigned', () => {
    const { room, agent, client } = workspace();
    const input = encodeFrame({ kind: 'input', channel: 99, handle: HANDLE, offset: 0 }, Uint8Array.of(107));
    const buffer = pass(room, client.socket, CLIENT, input);
    expect(agent.sent[0], 'the buffer that came').toBe(buffer);
    expect(decodeFrame(new Uint8Array(buffer)).channel).toBe(CHANNEL);
    expect([...agent.attachments, ...client.attachments], 'attachments written').toEqual([]);
  });

  it('[S1] [AU5] of input after the first of a minute is recorded without storage access', () => {
    let isFirst = true;
    const once = () => {
      if (!isFirst) throw new Error('storage was asked again');
    };
    const trail = { record: once } as unknown as AuditTrail;
    const sessionWithHandle = () => {
      once();
      return 's1';
    };
    const memory = { sessionWithHandle, handleOf: () => null, learnHandle: () => true, typedLast: once };
    const { room, agent, client } = workspace(new AuditJournal(trail, memory));
    const input = encodeFrame({ kind: 'input', channel: 99, handle: HANDLE, offset: 0 }, Uint8Array.of(107));
    pass(room, client.socket, CLIENT, input);
    isFirst = false;
    for (let i = 0; i < 1000; i++) pass(room, client.socket, CLIENT, input);
    expect(agent.sent).toHaveLength(1001);
  });
});
