/** The work that an agent's messages cause is charged to its workspace's turn, depending on the number of clients. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentMessage } from '../../../protocol/messages/agent-message.ts';
import { AuditJournal } from '../../../worker/audit/audit-journal.ts';
import { AuditStore } from '../../../worker/audit/audit-store.ts';
import { AuditTrail } from '../../../worker/audit/audit-trail.ts';
import { RECIPIENT_COST } from '../../../worker/metering/turn.ts';
import type { AgentPeer, ClientPeer } from '../../../worker/peers/peer.ts';
import type { Time } from '../../../worker/platform/time.ts';
import { Registry } from '../../../worker/registry/registry.ts';
import { handleAgentMessage } from '../../../worker/workspace/agent-messages.ts';
import { ObjectAlarm } from '../../../worker/workspace/object-alarm.ts';
import { PresenceWatch } from '../../../worker/workspace/presence-watch.ts';
import { sessionsReport } from '../../../worker/workspace/reports.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

const CREDENTIAL = { tokenId: 't', issuedAt: 0, expiresAt: 9e15 };
const CLIENTS = 64;
const NOW = 1_000_000;

const time: Time = {
  now: () => NOW,
  heartbeatAt: () => NOW,
  setAlarm() {},
  pause() {},
  reset() {},
};

function socket(): WebSocket {
  return { readyState: 1, send() {}, close() {}, serializeAttachment() {} } as unknown as WebSocket;
}

let queries: string[];
let room: WorkspaceSockets;
let presence: PresenceWatch;
let channel: number;

beforeEach(() => {
  queries = [];
  const { sql } = sqliteStorage();
  const watched = {
    exec(query: string, ...bindings: string[]) {
      queries.push(query);
      return sql.exec(query, ...bindings);
    },
  } as unknown as ConstructorParameters<typeof Registry>[0];
  const registry = new Registry(watched, NOW);
  const journal = new AuditJournal(new AuditTrail(new AuditStore(watched)), registry.sessions);
  room = new WorkspaceSockets(registry, [], time, journal);
  presence = new PresenceWatch(room, new ObjectAlarm(room.registry, time));
  room.admitAgent(socket(), CREDENTIAL);
  for (let i = 0; i < CLIENTS; i++) {
    const client = socket();
    room.admitClient(client, 'operator', CREDENTIAL, 'client');
    channel = (room.board.peerOf(client) as ClientPeer).channel;
  }
  says({ type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s1')], more: false });
});

/** In units of a turn, beyond what the message itself costs. */
function says(message: AgentMessage): number {
  const { agent } = room.board;
  const before = room.turn.spent;
  if (agent !== null) handleAgentMessage(room, presence, room.board.peerOf(agent) as AgentPeer, message, NOW);
  return room.turn.spent - before;
}

describe('a message of an agent', () => {
  it.each<[string, number, () => AgentMessage]>([
    [
      'a short text for all clients, by each of them',
      RECIPIENT_COST * CLIENTS,
      () => ({ type: 'to_clients', message: { type: 'session_activity', session: 's1', bell: false } }),
    ],
    [
      'one for one client',
      RECIPIENT_COST,
      () => ({
        type: 'to_client',
        channel,
        message: { type: 'session_activity', session: 's1', bell: false },
      }),
    ],
    [
      'another inventory, by all it sets off',
      8 + CLIENTS / 16 + RECIPIENT_COST * CLIENTS,
      () => ({ type: 'inventory', sessions: [], more: false }),
    ],
    [
      'the end of a session, by its rows',
      8,
      () => ({ type: 'session_gone', session: 's1', reason: 'closed' }),
    ],
    [
      'a question, by clients named and looked at',
      CLIENTS / 8,
      () => ({ type: 'ask_presence', question: 'q' }),
    ],
    [
      'a question about the link, by clients named',
      CLIENTS / 16,
      () => ({ type: 'ask_presence', question: 'link' }),
    ],
    [
      'a first subscription, by clients looked at',
      CLIENTS / 16,
      () => ({ type: 'subscribe', channel, handle: 1 }),
    ],
    [
      'a new name, by its note',
      4 + RECIPIENT_COST * CLIENTS,
      () => ({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name: 'n' } }),
    ],
  ])('[X9] [RL17] is charged for %s', (_, least, message) => {
    const spent = says(message());
    expect(spent).toBeGreaterThanOrEqual(least);
    expect(spent).toBeLessThan(1.3 * least + 12);
  });

  it('[SEC21] [RL17] is charged more for clients that end in the Worker, where it is parsed', () => {
    const streams = 32;
    for (let i = 0; i < streams; i++) room.admitClient(socket(), 'operator', CREDENTIAL, 'api');
    const message = { type: 'session_activity', session: 's1', bell: false } as const;
    expect(says({ type: 'to_clients', message })).toBeGreaterThan(0.8 * CLIENTS + 5 * streams);
  });

  it('[X9] [AG1] is refused if it is a second hello on one link', () => {
    queries.length = 0;
    const hello: AgentMessage = { type: 'hello', version: 1, epoch: 'another', sessions: [], more: false };
    expect(() => says(hello)).toThrow('a second hello');
    expect(queries).toEqual([]);
    room.admitAgent(socket(), CREDENTIAL);
    says(hello);
    expect(queries.join()).toContain('UPDATE agent');
  });

  it('[X9] [RL17] costs nothing and stores nothing for an unknown session', () => {
    queries.length = 0;
    for (const reason of ['closed', 'idle'] as const)
      expect(says({ type: 'session_gone', session: 'made up', reason })).toBe(0);
    expect(queries).toEqual([]);
    says({ type: 'session_gone', session: 's1', reason: 'closed' });
    expect(queries.join()).toMatch(/DELETE FROM sessions[\s\S]*INSERT INTO audit/);
  });
});

it('[SEC21] [RL17] a list is charged for every session that is looked at, also if few are listed', () => {
  for (let i = 0; i < 320; i++) says({ type: 'session_changed', session: sessionInfo(`k${i}`) });
  const before = room.turn.spent;
  const caller = { role: 'viewer', credential: CREDENTIAL } as const;
  sessionsReport(room, { key: 'none has it', missingToo: false }, caller, NOW);
  expect(room.turn.spent - before).toBeGreaterThanOrEqual(20);
});
