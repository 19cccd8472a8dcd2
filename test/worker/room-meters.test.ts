/** What an agent may say and have written, and what clients are told, without a network: sockets that only remember. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  AGENT_BURST_COST,
  AGENT_COST_PER_S,
  ROWS_BURST_MAX,
  ROWS_PER_S_MAX,
  TOLD_BURST_MAX_BYTES,
} from '../../protocol/limits.ts';
import type { ServerMessage, SessionInfo } from '../../protocol/messages.ts';
import type { Peer } from '../../worker/peer.ts';
import type { Registry } from '../../worker/registry.ts';
import { Room } from '../../worker/room.ts';
import { sessionInfo } from '../support/scripted-session.ts';

const CREDENTIAL = { tokenId: 't', issuedAt: 0, expiresAt: 9e15 };

class RememberingSocket {
  readyState = 1;
  sent = 0;
  closed: number | undefined;
  send(): void {
    this.sent++;
  }
  close(code: number): void {
    this.closed = code;
  }
  serializeAttachment(): void {}
}

let now: number;
let rows: Map<string, SessionInfo>;
let writes: number;
let room: Room;
let agent: RememberingSocket & WebSocket;

const socket = () => new RememberingSocket() as RememberingSocket & WebSocket;
const peerOf = (of: WebSocket) => room.board.peerOf(of) as Peer;

beforeEach(() => {
  now = 0;
  rows = new Map();
  writes = 0;
  const registry = {
    agent: () => ({ state: 'online', since: null, epoch: 'e', generation: 1 }),
    nextGeneration: () => 1,
    agentOffline() {},
    session: (id: string) => rows.get(id) ?? null,
    put(session: SessionInfo) {
      writes++;
      rows.set(session.id, session);
    },
  };
  const time = { now: () => now, heartbeatAt: () => null, setAlarm() {} };
  room = new Room(registry as unknown as Registry, [], time);
  agent = socket();
  room.seatAgent(agent, CREDENTIAL);
});

describe('an agent', () => {
  /** Sends text until it has cost this much: 1, and 1 for each KiB. */
  const says = (cost: number): boolean =>
    room.admits(agent, peerOf(agent), 'x'.repeat(1024 * (cost - 1)), now);

  it('[X9] [RL17] may say as much as 200 clients that attach at once cause, twice, and no more', () => {
    for (let spent = 0; spent < 2 * AGENT_BURST_COST; spent += 100) expect(says(100)).toBe(true);
    expect(agent.closed).toBe(undefined);
    expect(says(1)).toBe(false);
    expect(agent.closed).toBe(4429);
  });

  it('[X9] [RL17] may say so much every second for good', () => {
    for (; now < 3_600_000; now += 1000) expect(says(AGENT_COST_PER_S)).toBe(true);
  });

  it('[X9] [RL17] pays for each client it speaks to; its frames cost nothing here', () => {
    const clients = Array.from({ length: 64 }, () => socket());
    for (const client of clients) room.seatClient(client, 'viewer', CREDENTIAL, 'client');
    const message: ServerMessage = { type: 'metrics', request: 'r', text: 'm'.repeat(61_440) };
    let said = 0;
    for (; agent.closed === undefined; said++) room.passToClients(message, now);
    expect(said).toBe(Math.ceil((2 * AGENT_BURST_COST) / ((JSON.stringify(message).length / 1024) * 64)));
    const frames = socket();
    room.seatAgent(frames, CREDENTIAL);
    const large = new ArrayBuffer(65_536);
    for (let i = 0; i < 100_000; i++) room.admits(frames, peerOf(frames), large, now);
    expect(frames.closed).toBe(undefined);
  });
});

describe('rows of the registry', () => {
  const tells = (more: Partial<SessionInfo>) => room.keep(sessionInfo('s1', more), 1, now);

  it('[X9] [RL18] four inventories of a thousand are written', () => {
    for (let i = 0; i < ROWS_BURST_MAX; i++) room.keep(sessionInfo(`s-${i % 1000}`), 1, now);
    expect(writes).toBe(ROWS_BURST_MAX);
  });

  it('[X9] [RL18] beyond that what passes is left out, what lasts is written, and with time both are', () => {
    for (let i = 0; i <= ROWS_BURST_MAX; i++) tells({ title: 'before' });
    expect(tells({ title: 'after' })).toBe(true);
    expect(rows.get('s1')).toMatchObject({ title: 'before' });
    tells({ title: 'after', name: 'renamed' });
    expect(rows.get('s1')).toMatchObject({ title: 'after', name: 'renamed' });
    now += Math.ceil(3000 / ROWS_PER_S_MAX) * 1000;
    tells({ title: 'later', name: 'renamed' });
    expect(rows.get('s1')).toMatchObject({ title: 'later' });
  });

  it('[X9] [RL18] an agent that has lasting ones written without end is closed', () => {
    let written = 0;
    for (; tells({ name: `n${written}` }); written++);
    expect([written, agent.closed]).toEqual([2 * ROWS_BURST_MAX, 4429]);
  });
});

describe('a client', () => {
  it('[X9] [RL16] that is told more than it can have read is told no more, and costs nobody else anything', () => {
    const [greedy, other] = [socket(), socket()];
    room.seatClient(greedy, 'viewer', CREDENTIAL, 'client');
    room.seatClient(other, 'viewer', CREDENTIAL, 'client');
    const message: ServerMessage = { type: 'metrics', request: 'r', text: 'm'.repeat(65_000) };
    let told = 0;
    for (; greedy.closed === undefined; told++) room.tell(greedy, message);
    expect(greedy.closed).toBe(4429);
    expect(told * 65_000).toBeLessThan(TOLD_BURST_MAX_BYTES + 65_000);
    room.tellClients(message);
    expect([other.closed, other.sent]).toEqual([undefined, 2]);
  });
});
