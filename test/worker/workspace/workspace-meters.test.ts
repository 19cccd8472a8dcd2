/** What a workspace may do and have written, and what clients are sent, without a network: sockets that only record. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  CLOSING_MAX,
  CLOSING_MAX_BYTES,
  PAUSE_MAX_MS,
  PAYLOAD_MAX_BYTES,
  READ_CHECK_EVERY_BYTES,
  ROWS_BURST_MAX,
  ROWS_PER_S_MAX,
  STREAMED_PER_S,
  TOKEN_CLIENTS_MAX,
  TOKEN_CLOSING_MAX,
  TOKEN_CLOSING_MAX_BYTES,
  TOKEN_UNREAD_MAX_BYTES,
  TOLD_BURST_MAX_BYTES,
  TURN_COST,
  TURN_COST_PER_S,
  UNREAD_MAX_BYTES,
  VIEWER_READ_CHECK_EVERY_BYTES,
  VIEWERS_MAX,
} from '../../../protocol/limits.ts';
import type { ClientRole, ServerMessage, SessionInfo } from '../../../protocol/messages.ts';
import type { ClientPeer, Peer } from '../../../worker/peers/peer.ts';
import type { Time } from '../../../worker/platform/time.ts';
import type { Registry } from '../../../worker/registry/registry.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const CREDENTIAL = { tokenId: 't', issuedAt: 0, expiresAt: 9e15 };

class RememberingSocket {
  readyState = 1;
  sent = 0;
  readonly texts: string[] = [];
  closed: number | undefined;
  send(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.texts.push(data);
    this.sent++;
  }
  close(code: number): void {
    this.closed = code;
  }
  attachment: unknown;
  serializeAttachment(attachment: unknown): void {
    this.attachment = attachment;
  }
  deserializeAttachment(): unknown {
    return this.attachment;
  }
}

let now: number;
let rows: Map<string, SessionInfo>;
let writes: number;
let resets: number;
let time: Time;
let room: WorkspaceSockets;
let agent: RememberingSocket & WebSocket;

const socket = () => new RememberingSocket() as RememberingSocket & WebSocket;
const peerOf = (of: WebSocket) => room.board.peerOf(of) as Peer;

beforeEach(() => {
  now = 0;
  rows = new Map();
  writes = 0;
  resets = 0;
  const registry = {
    agent: () => ({ state: 'online', since: null, epoch: 'e', generation: 1 }),
    nextGeneration: () => 1,
    agentOffline() {},
    sessions: {
      get: (id: string) => rows.get(id) ?? null,
      put(session: SessionInfo) {
        writes++;
        rows.set(session.id, session);
      },
    },
  };
  time = {
    now: () => now,
    heartbeatAt: () => null,
    setAlarm() {},
    pause() {},
    reset: () => void resets++,
  };
  room = new WorkspaceSockets(registry as unknown as Registry, [], time);
  agent = socket();
  room.admitAgent(agent, CREDENTIAL);
});

describe('a workspace', () => {
  const says = (bytes: number) => room.admits(agent, peerOf(agent), 'x'.repeat(bytes), now);

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
    ['frames of its agent', () => room.admits(agent, peerOf(agent), new ArrayBuffer(64), now)],
    ['frames of its clients', (client) => room.admits(client, peerOf(client), new ArrayBuffer(64), now)],
    [
      'messages to all clients',
      () => room.tellClients({ type: 'metrics', request: 'r', text: 'm'.repeat(9999) }),
    ],
    ['lists', () => room.tookList({ role: 'viewer', tokenId: 't' }, 100_000, now)],
    [
      'stored data of a client',
      (client) =>
        room.remember({
          socket: client,
          peer: { ...peerOf(client), handles: Array.from({ length: 1000 }, (_, i) => i) } as Peer,
        }),
    ],
    ['rows', () => room.keep(sessionInfo('s1', { name: `n${writes}` }), 1, now)],
  ])('[X9] [RL17] spends its turn on %s', (_, act) => {
    const client = socket();
    room.admitClient(client, 'operator', CREDENTIAL, 'client');
    for (let i = 0; i < TURN_COST + 1; i++) act(client);
    expect(room.turn.pauseMs).toBeGreaterThan(0);
  });
});

describe('writes to the registry', () => {
  const tells = (more: Partial<SessionInfo>) => room.keep(sessionInfo('s1', more), 1, now);

  it('[X9] [RL18] include four inventories of a thousand sessions', () => {
    for (let i = 0; i < ROWS_BURST_MAX; i++) room.keep(sessionInfo(`s-${i % 1000}`), 1, now);
    expect(writes).toBe(ROWS_BURST_MAX);
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

describe('output that a client does not read', () => {
  const PIECE = 64 * 1024;
  const frame = () =>
    encodeFrame({ kind: 'output', channel: 0, handle: 7, offset: 0 }, new Uint8Array(PIECE)).buffer;
  const watching = (
    answersReadChecks: boolean,
    tokenId = CREDENTIAL.tokenId,
    role: ClientRole = 'viewer',
  ) => {
    const client = socket();
    room.admitClient(client, role, { ...CREDENTIAL, tokenId }, 'client');
    const peer = peerOf(client) as ClientPeer;
    if (answersReadChecks) room.willAnswerReadChecks(peer);
    room.board.subscribe(peer.channel, 7);
    return client;
  };
  const print = () => room.forward(agent, peerOf(agent), frame(), now);
  const marks = (client: RememberingSocket) =>
    client.texts
      .map((text) => JSON.parse(text))
      .filter(({ type }) => type === 'read_check')
      .map(({ mark }) => mark);

  it.each([
    ['operator', 'mebibyte', READ_CHECK_EVERY_BYTES],
    ['viewer', 'half', VIEWER_READ_CHECK_EVERY_BYTES],
  ] as const)('[X4] [RL25] of an %s is checked after each %s, once at a time', (role, _, every) => {
    const client = watching(true, 't', role);
    for (let sent = 0; sent < every - PIECE; sent += PIECE) print();
    expect(marks(client)).toEqual([]);
    for (let i = 0; i < 40; i++) print();
    expect(marks(client)).toHaveLength(1);
    room.unread.read(client, marks(client)[0]);
    for (let i = 0; i < 40; i++) print();
    expect(new Set(marks(client)).size).toBe(2);
  });

  it('[X4] [RL25] is unlimited while marks come back, and closes the connection that leaves most unread', () => {
    const [reader, other, idle] = [watching(true), watching(true), watching(true)];
    const answer = (client: RememberingSocket & WebSocket) => {
      for (const mark of marks(client)) room.unread.read(client, mark);
    };
    let sent = 0;
    const most = TOKEN_UNREAD_MAX_BYTES.viewer;
    for (; idle.closed === undefined && sent < 4 * most; sent += PIECE) {
      print();
      answer(reader);
      answer(other);
    }
    expect([reader.closed, other.closed, idle.closed]).toEqual([undefined, undefined, 4429]);
    expect(sent).toBeGreaterThan(most);
    expect(sent).toBeLessThan(most + 5 * READ_CHECK_EVERY_BYTES);
  });

  it('[X4] [RL25] is not proven to be read by a mark that was guessed, or that came back before', () => {
    const client = watching(true);
    for (let i = 0; i < 40; i++) print();
    const before = room.unread.excessBytes;
    room.unread.read(client, 'guessed');
    expect(room.unread.excessBytes).toBe(before);
    const [mark] = marks(client);
    room.unread.read(client, mark);
    for (let i = 0; i < 40; i++) print();
    const again = room.unread.excessBytes;
    room.unread.read(client, mark);
    expect(room.unread.excessBytes).toBe(again);
  });

  it('[X4] [RL25] closes a connection of a token whose connections together leave too much', () => {
    const other = watching(true, 'b');
    const greedy = [watching(true, 'a'), watching(true, 'a')];
    while (greedy.every(({ closed }) => closed === undefined)) {
      print();
      for (const mark of marks(other)) room.unread.read(other, mark);
    }
    expect(other.closed).toBe(undefined);
    expect(room.unread.closingBytes).toBeGreaterThan(TOKEN_UNREAD_MAX_BYTES.viewer / 2);
  });

  it('[X4] [RL25] closes a connection if all tokens together leave too much', () => {
    const clients = ['a', 'b', 'c'].map((tokenId) => watching(true, tokenId, 'operator'));
    let sent = 0;
    for (; clients.every(({ closed }) => closed === undefined); sent += PIECE) print();
    const each = UNREAD_MAX_BYTES / clients.length + READ_CHECK_EVERY_BYTES;
    expect(Math.abs(sent - each)).toBeLessThan(2 * PIECE);
  });

  it('[X4] [RL25] closes a connection if all viewers together leave as much as one of them may', () => {
    const operator = watching(true, 'o', 'operator');
    const viewers = ['a', 'b', 'c'].map((tokenId) => watching(true, tokenId));
    let sent = 0;
    for (; viewers.every(({ closed }) => closed === undefined); sent += PIECE) print();
    const each = TOKEN_UNREAD_MAX_BYTES.viewer / viewers.length + VIEWER_READ_CHECK_EVERY_BYTES;
    expect(Math.abs(sent - each)).toBeLessThan(2 * PIECE);
    expect(operator.closed).toBe(undefined);
  });

  it('[X4] [RL25] is counted as on the wire, together with other data for the client', () => {
    const client = watching(true, 't', 'operator');
    const message: ServerMessage = { type: 'metrics', request: 'r', text: '漢'.repeat(100_000) };
    for (let i = 0; i < 3; i++) room.tell(client, message);
    expect(marks(client)).toEqual([]);
    room.tell(client, message);
    expect(marks(client)).toHaveLength(1);
  });

  it('[X4] [RL25] includes input for an agent, which answers the check or dials again', () => {
    const operator = socket();
    room.admitClient(operator, 'operator', CREDENTIAL, 'client');
    const input = () =>
      encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, new Uint8Array(PIECE)).buffer;
    const type = () => room.forward(operator, peerOf(operator), input(), now);
    room.board.describeAgent({ answersReadChecks: true });
    const most = TOKEN_UNREAD_MAX_BYTES.agent;
    for (let sent = 0; sent < 2 * most; sent += PIECE) {
      type();
      for (const mark of marks(agent)) room.unread.read(agent, mark);
    }
    expect(agent.closed).toBe(undefined);
    for (let sent = 0; agent.closed === undefined && sent < 2 * most; sent += PIECE) type();
    expect(agent.closed).toBe(4429);
  });

  it('[X4] [RL25] counts for a client that is not checked, too', () => {
    const client = watching(false);
    while (client.closed === undefined) print();
    expect([marks(client), client.closed]).toEqual([[], 4429]);
  });
});

describe('a connection that was closed', () => {
  const expelled = (unread = 0) => {
    const client = socket();
    room.admitClient(client, 'viewer', CREDENTIAL, 'client');
    room.unread.sent(client, unread);
    room.expel(client, 4429, 'Too much.');
    return client;
  };

  it('[X8] [RL26] counts for its token until it has ended', () => {
    const closed = Array.from({ length: TOKEN_CLOSING_MAX }, () => {
      expect(room.fullFor('viewer', CREDENTIAL)).toBeNull();
      return expelled();
    });
    expect(room.fullFor('viewer', CREDENTIAL)).toMatch(/are still open/);
    expect(room.fullFor('viewer', { ...CREDENTIAL, tokenId: 'other' })).toBeNull();
    expect(room.fullFor('operator', CREDENTIAL), 'a ticket of the same token in another role').toBeNull();
    if (closed[0] !== undefined) room.left(closed[0]);
    expect(room.fullFor('viewer', CREDENTIAL)).toBeNull();
  });

  it('[X4] [RL26] counts with its unread data', () => {
    const large = expelled(TOKEN_CLOSING_MAX_BYTES);
    expect(room.fullFor('viewer', CREDENTIAL)).toMatch(/are still open/);
    room.left(large);
    expect([room.fullFor('viewer', CREDENTIAL), room.unread.closingBytes]).toEqual([null, 0]);
  });

  it('[X4] [RL26] counts after an eviction, too', () => {
    const large = expelled(TOKEN_CLOSING_MAX_BYTES);
    const again = new WorkspaceSockets(room.registry, [agent, large], time);
    expect(again.fullFor('viewer', CREDENTIAL)).toMatch(/are still open/);
    again.left(large);
    expect(again.fullFor('viewer', CREDENTIAL)).toBeNull();
  });

  it('[X8] [RL26] is ended with all others when they are too many', () => {
    for (let i = 0; i < CLOSING_MAX; i++) expelled();
    expect(resets).toBe(0);
    expelled();
    expect(resets).toBe(1);
    expelled();
    expect(resets, 'and that is said and done once').toBe(1);
  });

  it.each([
    ['viewer', TOKEN_CLIENTS_MAX.viewer],
    ['operator', TOKEN_CLIENTS_MAX.operator],
  ] as const)(
    '[X8] [RL14] [RL26] counts against the limit of the token of a %s like an open one',
    (role, most) => {
      const seat = () => {
        const client = socket();
        room.admitClient(client, role, CREDENTIAL, 'client');
        return client;
      };
      const closed = Array.from({ length: TOKEN_CLOSING_MAX - 1 }, seat);
      for (const client of closed) room.expel(client, 4429, 'Too much.');
      for (let i = closed.length; i < most; i++) {
        expect(room.fullFor(role, CREDENTIAL)).toBeNull();
        seat();
      }
      expect(room.fullFor(role, CREDENTIAL)).toMatch(/at most/);
      const again = new WorkspaceSockets(room.registry, [agent, ...closed], time);
      expect(again.fullFor(role, CREDENTIAL)).toBeNull();
    },
  );

  it('[X8] [RL26] of viewers, of any number of tokens, never causes all others to be ended', () => {
    let seated = 0;
    for (let token = 0; token < 20; token++) {
      const credential = { ...CREDENTIAL, tokenId: `v${token}` };
      const open = [];
      for (; room.fullFor('viewer', credential) === null; seated++) {
        const client = socket();
        room.admitClient(client, 'viewer', credential, 'client');
        open.push(client);
        if (open.length === TOKEN_CLOSING_MAX - 1)
          for (const one of open) room.expel(one, 4400, 'Malformed.');
      }
      for (const { socket: one } of room.board.clients()) room.expel(one, 4400, 'Malformed.');
    }
    expect([seated, resets]).toEqual([VIEWERS_MAX, 0]);
    expect(room.fullFor('viewer', { ...CREDENTIAL, tokenId: 'one more' })).toMatch(/150 viewers/);
    expect(room.fullFor('operator', CREDENTIAL)).toBeNull();
  });

  it('[X4] [RL26] is ended with all others when they hold too much', () => {
    expelled(CLOSING_MAX_BYTES / 2);
    expect(resets).toBe(0);
    expelled(CLOSING_MAX_BYTES / 2);
    expect(resets).toBe(1);
  });
});

describe('a client', () => {
  it('[X9] [RL16] that is sent more than it can have read gets no more, and affects nobody else', () => {
    const [greedy, other] = [socket(), socket()];
    room.admitClient(greedy, 'viewer', CREDENTIAL, 'client');
    room.admitClient(other, 'viewer', CREDENTIAL, 'client');
    const message: ServerMessage = { type: 'metrics', request: 'r', text: 'm'.repeat(65_000) };
    let told = 0;
    for (; greedy.closed === undefined; told++) room.tell(greedy, message);
    expect(greedy.closed).toBe(4429);
    expect(told * 65_000).toBeLessThan(TOLD_BURST_MAX_BYTES + 65_000);
    room.tellClients(message);
    expect([other.closed, other.sent]).toEqual([undefined, 2]);
  });
});

describe('streams that end in the Worker', () => {
  const HANDLE = 7;
  const frame = encodeFrame({ kind: 'output', channel: 0, handle: HANDLE, offset: 0 }, new Uint8Array(1));
  const follow = (kind: 'api' | 'terminal' | 'page', tokenId = 'streams') => {
    const client = socket();
    room.admitClient(client, 'viewer', { ...CREDENTIAL, tokenId }, kind);
    const { channel } = peerOf(client) as ClientPeer;
    room.board.subscribe(channel, HANDLE);
    return client;
  };
  const prints = () => room.forward(agent, peerOf(agent), frame.slice().buffer, now);
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
    expect(costOf(prints)).toBeGreaterThan(4 * others);
  });

  it('[RL17] are charged by length if device queries are filtered from them', () => {
    follow('terminal');
    const short = costOf(prints);
    const full = encodeFrame(
      { kind: 'output', channel: 0, handle: HANDLE, offset: 0 },
      new Uint8Array(PAYLOAD_MAX_BYTES),
    );
    expect(costOf(() => room.forward(agent, peerOf(agent), full.slice().buffer, now))).toBeGreaterThan(
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
