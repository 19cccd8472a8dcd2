/** What connections have not read, while they are open and after they were closed, without a network. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  CLOSING_MAX,
  CLOSING_MAX_BYTES,
  READ_CHECK_EVERY_BYTES,
  TOKEN_CLIENTS_MAX,
  TOKEN_CLOSING_MAX,
  TOKEN_CLOSING_MAX_BYTES,
  TOKEN_UNREAD_MAX_BYTES,
  UNREAD_MAX_BYTES,
  VIEWER_READ_CHECK_EVERY_BYTES,
  VIEWERS_MAX,
} from '../../../protocol/limits.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import type { ClientPeer, Peer } from '../../../worker/peers/peer.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';
import { CREDENTIAL, openRoom, type RememberingSocket, rememberingSocket } from './room-without-network.ts';

let now: number;
let room: WorkspaceSockets;
let agent: RememberingSocket & WebSocket;
let counts: ReturnType<typeof openRoom>['counts'];
let time: ReturnType<typeof openRoom>['time'];

const peerOf = (of: WebSocket) => room.board.peerOf(of) as Peer;

beforeEach(() => {
  now = 0;
  ({ room, agent, counts, time } = openRoom(() => now));
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
    const client = rememberingSocket();
    room.admitClient(client, role, { ...CREDENTIAL, tokenId }, 'client');
    const peer = peerOf(client) as ClientPeer;
    if (answersReadChecks) room.willAnswerReadChecks(peer);
    room.board.subscribe(peer.channel, 7);
    return client;
  };
  const print = () => room.frames.forward(agent, peerOf(agent), frame(), now);
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
    for (let i = 0; i < 3; i++) room.outbox.tell(client, message);
    expect(marks(client)).toEqual([]);
    room.outbox.tell(client, message);
    expect(marks(client)).toHaveLength(1);
  });

  it('[X4] [RL25] includes input for an agent, which answers the check or dials again', () => {
    const operator = rememberingSocket();
    room.admitClient(operator, 'operator', CREDENTIAL, 'client');
    const input = () =>
      encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, new Uint8Array(PIECE)).buffer;
    const type = () => room.frames.forward(operator, peerOf(operator), input(), now);
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
    const client = rememberingSocket();
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
    expect(counts.resets).toBe(0);
    expelled();
    expect(counts.resets).toBe(1);
    expelled();
    expect(counts.resets, 'and that is said and done once').toBe(1);
  });

  it.each([
    ['viewer', TOKEN_CLIENTS_MAX.viewer],
    ['operator', TOKEN_CLIENTS_MAX.operator],
  ] as const)(
    '[X8] [RL14] [RL26] counts against the limit of the token of a %s like an open one',
    (role, most) => {
      const seat = () => {
        const client = rememberingSocket();
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
        const client = rememberingSocket();
        room.admitClient(client, 'viewer', credential, 'client');
        open.push(client);
        if (open.length === TOKEN_CLOSING_MAX - 1)
          for (const one of open) room.expel(one, 4400, 'Malformed.');
      }
      for (const { socket: one } of room.board.clients()) room.expel(one, 4400, 'Malformed.');
    }
    expect([seated, counts.resets]).toEqual([VIEWERS_MAX, 0]);
    expect(room.fullFor('viewer', { ...CREDENTIAL, tokenId: 'one more' })).toMatch(/150 viewers/);
    expect(room.fullFor('operator', CREDENTIAL)).toBeNull();
  });

  it('[X4] [RL26] is ended with all others when they hold too much', () => {
    expelled(CLOSING_MAX_BYTES / 2);
    expect(counts.resets).toBe(0);
    expelled(CLOSING_MAX_BYTES / 2);
    expect(counts.resets).toBe(1);
  });
});
