/** What all connections of one token may send together: the rule, and how a workspace applies it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  CLIENT_CONTROL_MAX_BYTES,
  METERED_TOKENS_MAX,
  TOKEN_SENDS_PER_S,
  TURN_COST_PER_S,
} from '../../../protocol/limits.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { TokenPace, TokenPaces } from '../../../worker/metering/token-pace.ts';
import type { ClientPeer } from '../../../worker/peers/peer.ts';
import type { Registry } from '../../../worker/registry/registry.ts';
import { handleClientMessage } from '../../../worker/workspace/client-messages.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';

const ROLES = ['viewer', 'operator'] as const;

describe('the rate limit of a token', () => {
  it.each(ROLES)(
    '[X9] [RL27] of a %s passes, asks each connection once to slow down, and is exceeded one message later',
    (role) => {
      const most = TOKEN_SENDS_PER_S[role];
      const pace = new TokenPace<string>(role, 0);
      expect(pace.take('a', most, 0)).toBe('pass');
      expect([pace.take('a', 1, 0), pace.take('a', 1, 0)]).toEqual(['slow', 'pass']);
      expect([pace.take('b', 1, 0), pace.take('b', 1, 0)]).toEqual(['slow', 'pass']);
      expect(pace.take('b', most - 4, 0), 'all that may be owed').toBe('pass');
      expect(pace.take('b', 1, 0)).toBe('over');
    },
  );

  it('[X9] [RL27] reports when the backlog is paid off, and then asks again', () => {
    const pace = new TokenPace<string>('viewer', 0);
    pace.take('a', TOKEN_SENDS_PER_S.viewer + 100, 0);
    const { retryAfterMs } = pace;
    expect(retryAfterMs).toBe(20);
    expect(pace.take('a', 0, retryAfterMs)).toBe('pass');
    expect(pace.take('a', 100, retryAfterMs)).toBe('slow');
  });

  it('[X9] [RL27] allows a steady rate indefinitely, and counts other work', () => {
    const pace = new TokenPace<string>('viewer', 0);
    for (let now = 0; now < 60_000; now += 100) {
      expect(pace.take('a', TOKEN_SENDS_PER_S.viewer / 20, now)).toBe('pass');
      pace.charge(TOKEN_SENDS_PER_S.viewer / 20, now);
    }
    pace.charge(TOKEN_SENDS_PER_S.viewer, 60_000);
    expect(pace.take('a', 1, 60_000)).toBe('slow');
  });

  it('[X9] [RL27] belongs to a token in a role, and remains when its connections end', () => {
    const paces = new TokenPaces<string>();
    const viewer = { role: 'viewer', tokenId: 't' } as const;
    paces.of(viewer, 0).take('a', 2 * TOKEN_SENDS_PER_S.viewer, 0);
    expect(paces.of(viewer, 0).take('b', 1, 0)).toBe('over');
    expect(paces.of({ ...viewer, role: 'operator' }, 0).take('c', 1, 0)).toBe('pass');
    expect(paces.of({ ...viewer, tokenId: 'other' }, 0).take('d', 1, 0)).toBe('pass');
    for (let i = 0; i < METERED_TOKENS_MAX; i++) paces.of({ ...viewer, tokenId: `t${i}` }, 0);
    expect(paces.of(viewer, 0).take('b', 1, 0), 'forgotten among very many').toBe('pass');
  });

  it('[X9] [RL27] leaves most of a turn to others', () => {
    expect(TOKEN_SENDS_PER_S.viewer).toBeLessThanOrEqual(TURN_COST_PER_S / 4);
    expect(TOKEN_SENDS_PER_S.operator).toBeLessThanOrEqual(TURN_COST_PER_S / 2);
  });
});

class Client {
  readyState = 1;
  readonly texts: { type: string; code?: string; retryAfterMs?: number }[] = [];
  closed: [number, string] | undefined;
  send(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.texts.push(JSON.parse(data));
  }
  close(code: number, reason: string): void {
    this.closed = [code, reason];
  }
  serializeAttachment(): void {}
  get slowDowns(): number {
    return this.texts.filter(({ code }) => code === 'slow_down').length;
  }
}

describe('many connections of one token', () => {
  const layout = { tabs: [{ session: 's', name: 'n'.repeat(8000) }], active: null };
  let now: number;
  let room: WorkspaceSockets;

  beforeEach(() => {
    now = 0;
    const registry = {
      agent: () => ({ state: 'offline', since: null, epoch: null, generation: 0 }),
      agentOffline() {},
      layout: () => ({ layout, savedAt: null }),
    } as unknown as Registry;
    room = new WorkspaceSockets(registry, [], {
      now: () => now,
      heartbeatAt: () => null,
      setAlarm() {},
      pause() {},
      reset() {},
    });
  });

  const seat = (role: ClientRole, tokenId: string) => {
    const client = new Client() as Client & WebSocket;
    room.admitClient(client, role, { tokenId, issuedAt: 0, expiresAt: 9e15 }, 'client');
    return client;
  };
  const admits = (client: Client & WebSocket, message: string | ArrayBuffer) => {
    const peer = room.board.peerOf(client) as ClientPeer | undefined;
    return peer !== undefined && room.pace.admits(client, peer, message, now);
  };
  /** Each sends 90 of these a second, which one alone may. */
  const flood = (clients: readonly (Client & WebSocket)[], send: (client: Client & WebSocket) => void) => {
    for (const until = now + 10_000; now < until; now += 11) for (const client of clients) send(client);
  };
  const padded = 'x'.repeat(CLIENT_CONTROL_MAX_BYTES);

  it.each(ROLES)('[X9] [RL12] [RL27] of a %s: one alone with the longest messages is not limited', (role) => {
    const client = seat(role, 't');
    flood([client], () => admits(client, padded));
    expect([client.closed, client.slowDowns]).toEqual([undefined, 0]);
  });

  it('[X9] [RL27] are asked to slow down and then closed, and others are not', () => {
    const greedy = Array.from({ length: 32 }, () => seat('viewer', 'greedy'));
    const others = [seat('viewer', 'other'), seat('operator', 'greedy')];
    flood([...greedy, ...others], (client) => admits(client, padded));
    expect(greedy.map(({ slowDowns }) => slowDowns)).toEqual(greedy.map(() => 1));
    expect(greedy.filter(({ closed }) => closed?.[0] === 4429).length).toBeGreaterThan(24);
    expect(greedy.find(({ closed }) => closed !== undefined)?.closed?.[1]).toMatch(
      /connections of this token/,
    );
    expect(others.map(({ closed, slowDowns }) => [closed, slowDowns])).toEqual(
      others.map(() => [undefined, 0]),
    );
  });

  it('[X9] [RL27] that send short questions with long answers are limited too', () => {
    const ask = (client: Client & WebSocket) => {
      const peer = room.board.peerOf(client) as ClientPeer;
      if (admits(client, '{}'))
        handleClientMessage(room, client, peer, { type: 'load_layout', request: 'r' }, now);
    };
    const greedy = Array.from({ length: 32 }, () => seat('viewer', 'greedy'));
    for (let i = 0; i < 40; i++) greedy.forEach(ask);
    expect(greedy.filter(({ closed }) => closed?.[0] === 4429).length).toBeGreaterThan(0);
  });

  it('[X9] [RL27] may acknowledge the output that a class of them watches', () => {
    const ack = encodeFrame({ kind: 'ack', channel: 0, handle: 7, offset: 0 }).buffer;
    const pupils = Array.from({ length: 32 }, () => seat('viewer', 'class'));
    flood(pupils, (client) => admits(client, ack));
    expect(pupils.map(({ closed, slowDowns }) => [closed, slowDowns])).toEqual(
      pupils.map(() => [undefined, 0]),
    );
  });
});
