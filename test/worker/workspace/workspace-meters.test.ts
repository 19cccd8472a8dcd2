/** What a workspace may do and have written, and what clients are sent, without a network: sockets that only record. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  PAUSE_MAX_MS,
  PAYLOAD_MAX_BYTES,
  ROWS_BURST_MAX,
  ROWS_PER_S_MAX,
  STREAMED_PER_S,
  TOKEN_SENDS_PER_S,
  TOLD_BURST_MAX_BYTES,
  TURN_COST,
  TURN_COST_PER_S,
} from '../../../protocol/limits.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { unseatedCost } from '../../../worker/metering/turn.ts';
import type { ClientPeer, Peer } from '../../../worker/peers/peer.ts';
import { handleClientMessage } from '../../../worker/workspace/client-messages.ts';
import type { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { CREDENTIAL, openRoom, type RememberingSocket, rememberingSocket } from './room-without-network.ts';

let now: number;
let room: WorkspaceSockets;
let agent: RememberingSocket & WebSocket;
let rows: ReturnType<typeof openRoom>['rows'];
let counts: ReturnType<typeof openRoom>['counts'];

const peerOf = (of: WebSocket) => room.board.peerOf(of) as Peer;

beforeEach(() => {
  now = 0;
  ({ room, agent, rows, counts } = openRoom(() => now));
});

describe('a workspace', () => {
  const says = (bytes: number) => room.pace.admits(agent, peerOf(agent), 'x'.repeat(bytes), now);

  it('[X9] [RL17] pauses when it has used up its turn, and drops nobody', () => {
    for (let said = 0; said < TURN_COST; said++) says(0);
    expect(room.turn.pauseMs).toBe(0);
    says(0);
    expect(room.turn.pauseMs).toBeGreaterThan(0);
    expect(agent.closed).toBe(undefined);
  });

  it('[X9] [RL17] continues after the pause, for half a turn', () => {
    for (let said = 0; said < 10 * TURN_COST; said++) says(0);
    now += room.turn.pauseMs;
    for (let said = 0; said < TURN_COST / 2 - 1; said++) says(0);
    expect(room.turn.pauseMs).toBe(0);
  });

  it('[X9] [RL17] pauses for at most two seconds, and again for what it still owes', () => {
    room.turn.spend(60 * TURN_COST_PER_S, now);
    expect(room.turn.pauseMs).toBe(PAUSE_MAX_MS);
    now += PAUSE_MAX_MS;
    says(0);
    expect(room.turn.pauseMs).toBe(PAUSE_MAX_MS);
  });

  it('[X9] [RL17] may continue indefinitely at a steady rate', () => {
    for (; now < 60_000; now += 4) {
      for (let said = 0; said < TURN_COST_PER_S / 250; said++) says(0);
      expect(room.turn.pauseMs).toBe(0);
    }
  });

  it.each<[string, (client: WebSocket) => void]>([
    ['frames of its agent', () => room.pace.admits(agent, peerOf(agent), new ArrayBuffer(64), now)],
    ['frames of its clients', (client) => room.pace.admits(client, peerOf(client), new ArrayBuffer(64), now)],
    [
      'messages to all clients',
      () => room.outbox.tellClients({ type: 'metrics', request: 'r', text: 'm'.repeat(9999) }),
    ],
    ['lists', () => room.lists.took({ role: 'viewer', tokenId: 't' }, 100_000, now)],
    [
      'stored data of a client',
      (client) =>
        room.remember({
          socket: client,
          peer: { ...peerOf(client), handles: Array.from({ length: 1000 }, (_, i) => i) } as Peer,
        }),
    ],
    ['rows', () => room.writes.keep(sessionInfo('s1', { name: `n${counts.writes}` }), 1, now)],
  ])('[X9] [RL17] spends its turn on %s', (_, act) => {
    const client = rememberingSocket();
    room.admitClient(client, 'operator', CREDENTIAL, 'client');
    for (let i = 0; i < TURN_COST + 1; i++) act(client);
    expect(room.turn.pauseMs).toBeGreaterThan(0);
  });
});

describe('a message that is too long', () => {
  const LENGTH = 31 * 1024 * 1024;

  it.each([
    ['text', 'x'.repeat(LENGTH)],
    ['bytes', new ArrayBuffer(LENGTH)],
  ])('[SEC21] [RL17] costs as much as the runtime had to receive, as %s', (_, message) => {
    const client = rememberingSocket();
    room.admitClient(client, 'viewer', CREDENTIAL, 'client');
    for (const [sender, peer] of [
      [client, peerOf(client)],
      [agent, peerOf(agent)],
    ] as const) {
      const before = room.turn.spent;
      room.pace.admits(sender, peer, message, now);
      expect(room.turn.spent - before).toBeGreaterThan(1_500);
    }
    expect(unseatedCost(message), 'of a peer that was closed').toBeGreaterThan(1_500);
  });
});

describe('writes to the registry', () => {
  const tells = (more: Partial<SessionInfo>) => room.writes.keep(sessionInfo('s1', more), 1, now);

  it('[X9] [RL18] include four inventories of a thousand sessions', () => {
    for (let i = 0; i < ROWS_BURST_MAX; i++) room.writes.keep(sessionInfo(`s-${i % 1000}`), 1, now);
    expect(counts.writes).toBe(ROWS_BURST_MAX);
  });

  it('[X9] [RL18] beyond that leave out temporary values and include lasting ones, and later both', () => {
    for (let i = 0; i <= ROWS_BURST_MAX; i++) tells({ title: 'before' });
    expect(tells({ title: 'after' })).toBe(true);
    expect(rows.get('s1')).toMatchObject({ title: 'before' });
    tells({ title: 'after', name: 'renamed' });
    expect(rows.get('s1')).toMatchObject({ title: 'after', name: 'renamed' });
    now += Math.ceil(3000 / ROWS_PER_S_MAX) * 1000;
    tells({ title: 'later', name: 'renamed' });
    expect(rows.get('s1')).toMatchObject({ title: 'later' });
  });

  it('[X9] [RL18] of lasting values without end close the agent', () => {
    let written = 0;
    for (; tells({ name: `n${written}` }); written++);
    expect([written, agent.closed]).toEqual([2 * ROWS_BURST_MAX, 4429]);
  });
});

describe('a client', () => {
  it('[X9] [RL16] that is sent more than it can have read gets no more, and affects nobody else', () => {
    const [greedy, other] = [rememberingSocket(), rememberingSocket()];
    room.admitClient(greedy, 'viewer', CREDENTIAL, 'client');
    room.admitClient(other, 'viewer', CREDENTIAL, 'client');
    const message: ServerMessage = { type: 'metrics', request: 'r', text: 'm'.repeat(65_000) };
    let told = 0;
    for (; greedy.closed === undefined; told++) room.outbox.tell(greedy, message);
    expect(greedy.closed).toBe(4429);
    expect(told * 65_000).toBeLessThan(TOLD_BURST_MAX_BYTES + 65_000);
    room.outbox.tellClients(message);
    expect([other.closed, other.sent]).toEqual([undefined, 2]);
  });
});

describe('streams that end in the Worker', () => {
  const HANDLE = 7;
  const frame = encodeFrame({ kind: 'output', channel: 0, handle: HANDLE, offset: 0 }, new Uint8Array(1));
  const follow = (kind: 'api' | 'terminal' | 'page', tokenId = 'streams') => {
    const client = rememberingSocket();
    room.admitClient(client, 'viewer', { ...CREDENTIAL, tokenId }, kind);
    const { channel } = peerOf(client) as ClientPeer;
    room.board.subscribe(channel, HANDLE);
    return client;
  };
  const prints = () => room.frames.forward(agent, peerOf(agent), frame.slice().buffer, now);
  const costOf = (act: () => void) => {
    const before = room.turn.spent;
    act();
    return room.turn.spent - before;
  };

  it.each(['api', 'terminal'] as const)('[RL17] cost several times as much as others: %s', (kind) => {
    const page = follow('page');
    const others = costOf(prints);
    room.left(page);
    follow(kind);
    expect(costOf(prints)).toBeGreaterThan(3 * others);
  });

  it('[RL17] are charged by length if device queries are filtered from them', () => {
    follow('terminal');
    const short = costOf(prints);
    const full = encodeFrame(
      { kind: 'output', channel: 0, handle: HANDLE, offset: 0 },
      new Uint8Array(PAYLOAD_MAX_BYTES),
    );
    expect(costOf(() => room.frames.forward(agent, peerOf(agent), full.slice().buffer, now))).toBeGreaterThan(
      short + 50,
    );
  });

  it('[RL28] are closed when their token exceeds its share, and the others continue', () => {
    const streams = Array.from({ length: 4 }, () => follow('api'));
    const neighbour = follow('api', 'another token');
    const page = follow('page');
    while (streams.some(({ closed }) => closed === undefined)) prints();
    expect(new Set(streams.map(({ closed }) => closed))).toEqual(new Set([4429]));
    expect([neighbour.closed, page.closed]).toEqual([undefined, undefined]);
  });

  it('[RL28] get their share again as time passes', () => {
    const stream = follow('api');
    const perSecond = STREAMED_PER_S / 5.1;
    for (let second = 0; second < 5; second++) {
      for (let sent = 0; sent < perSecond * 0.95; sent++) prints();
      now += 1000;
    }
    expect(stream.closed).toBe(undefined);
  });
});

describe('requests that the agent answers', () => {
  const viewers = (connections: number) =>
    Array.from({ length: connections }, () => {
      const client = rememberingSocket();
      room.admitClient(client, 'viewer', { ...CREDENTIAL, tokenId: 'shared' }, 'client');
      return client;
    });
  const says = (client: WebSocket, message: ClientMessage) => {
    const peer = room.board.peerOf(client);
    if (peer !== undefined && room.pace.admits(client, peer, '{}', now))
      handleClientMessage(room, client, peer as ClientPeer, message, now);
  };
  const asked = (message: ClientMessage, connections: number, times: number) => {
    const clients = viewers(connections);
    for (let time = 0; time < times; time++) for (const client of clients) says(client, message);
    return clients.map(({ closed }) => closed);
  };
  const attach: ClientMessage = {
    type: 'reattach_session',
    request: 'r',
    session: 's1',
    instance: 'i',
  };
  const snapshot: ClientMessage = { type: 'take_snapshot', request: 'r', session: 's1', format: 'text' };

  it.each([attach, snapshot])(
    '[X9] [RL27] count for the token with what the answer costs: $type',
    (message) => {
      expect(asked(message, 8, 150)).toContain(4429);
    },
  );

  it('[X9] [RL27] count with what a short answer costs', () => {
    expect(asked({ type: 'refresh_sessions', request: 'r' }, 8, 190)).not.toContain(4429);
    expect(asked({ type: 'refresh_sessions', request: 'r' }, 8, 190)).toContain(4429);
  });

  it('[X9] [RL27] count with the snapshots that are sent', () => {
    const [client] = viewers(1) as [RememberingSocket & WebSocket];
    says(client, snapshot);
    const { channel } = peerOf(client) as ClientPeer;
    // Short ones, so that the connection is not closed for what it leaves unread.
    const frame = encodeFrame({ kind: 'snapshot', channel, handle: 0, offset: 0 }, new Uint8Array(1));
    const frames = (2 * TOKEN_SENDS_PER_S.viewer) / 2.6;
    for (let sent = 0; sent < frames; sent++)
      room.frames.forward(agent, peerOf(agent), frame.buffer as ArrayBuffer, now);
    expect(client.closed, 'only what it sends is judged').toBe(undefined);
    says(client, snapshot);
    expect(client.closed).toBe(4429);
  });

  it.each([attach, snapshot])(
    '[RL27] do not limit a class that reconnects, each with twenty terminals: $type',
    (message) => {
      expect(new Set(asked(message, 30, 20))).toEqual(new Set([undefined]));
    },
  );

  it('[X9] [RL27] give a viewer that owes no other connection until it has paid, and operators one', () => {
    asked(snapshot, 8, 60);
    const credential = { ...CREDENTIAL, tokenId: 'shared' };
    expect(room.fullFor('viewer', credential)).toContain('sent too much');
    expect(room.fullFor('viewer', { ...credential, tokenId: 'other' })).toBeNull();
    expect(room.fullFor('operator', credential)).toBeNull();
    now += 1000;
    expect(room.fullFor('viewer', credential)).toBeNull();
  });
});
