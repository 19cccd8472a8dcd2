/** Requests about commands in the relay: what an agent of an earlier version gets of them, and what they cost. */
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_LIST_MAX_BYTES, LISTS_BURST_MAX_BYTES } from '../../../protocol/limits.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import type { AgentPeer, ClientPeer } from '../../../worker/peers/peer.ts';
import { handleAgentMessage } from '../../../worker/workspace/agent-messages.ts';
import { handleClientMessage } from '../../../worker/workspace/client-messages.ts';
import type { PresenceWatch } from '../../../worker/workspace/presence-watch.ts';
import { connectAgent, connectClient, questioned } from '../../support/relay-story.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { CREDENTIAL, openRoom, rememberingSocket } from './room-without-network.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.onWorkerd();
});

const LIST = { type: 'list_commands', request: 'l', session: 's1' } as const;
const READ = { type: 'read', mark: 'm' } as const;
const SNAPSHOT = { type: 'take_snapshot', request: 'l', session: 's1', format: 'text' };

describe('[T3] [RL29] an agent of an earlier version', () => {
  it.each([
    ['list_commands', LIST],
    ['take_snapshot with a command', { ...SNAPSHOT, command: 1 }],
  ])('gets no %s, and the client is told why', async (_, message) => {
    const agent = await connectAgent(relay, { listsCommands: false });
    const client = await connectClient(relay, 'viewer');
    client.send(message);
    expect(await client.message('error')).toMatchObject({ code: 'unsupported', request: 'l', session: 's1' });
    expect((await questioned(agent)).before, 'the agent hears nothing of it').toEqual([]);
    client.send(SNAPSHOT);
    expect(await agent.message('from_client'), 'an ordinary one').toMatchObject({ message: SNAPSHOT });
  });

  it('is told to clients apart from one that can', async () => {
    await connectAgent(relay, { listsCommands: false });
    const stateOf = async () => {
      const client = await connectClient(relay);
      client.send({ type: 'list_sessions', request: 'l' });
      return (await client.message<{ type: string; agent: { listsCommands?: boolean } }>('session_list'))
        .agent;
    };
    expect((await stateOf()).listsCommands).toBeUndefined();
    const agent = await connectAgent(relay);
    expect((await stateOf()).listsCommands).toBe(true);
    const client = await connectClient(relay);
    client.send(LIST);
    expect(await agent.message('from_client')).toMatchObject({ message: LIST });
  });
});

const LINE = 'x'.repeat(250);
/** A page of about 60 KB. */
const PAGE = Array.from(
  { length: 140 },
  (_, i): SessionCommand => ({
    number: i,
    commandLine: LINE,
    startedAt: '2026-11-17T10:00:00.000Z',
    durationMs: 1,
    exitCode: 0,
    outputFrom: 0,
    outputTo: 1,
    verified: false,
  }),
);

describe('[T3] lists of commands', () => {
  const now = 0;

  /** A workspace whose clock stands still, with an agent that lists commands. */
  function world() {
    const { room, agent } = openRoom(() => now);
    room.board.describeAgent({ listsCommands: true });
    const admit = (tokenId: string) => {
      const socket = rememberingSocket();
      room.admitClient(socket, 'viewer', { ...CREDENTIAL, tokenId }, 'page');
      return socket;
    };
    const peerOf = (socket: WebSocket) => room.board.peerOf(socket) as ClientPeer;
    /** What became of the request: null if it was forwarded, else the code of its refusal. */
    const asks = (socket: ReturnType<typeof admit>): string | null => {
      const forwarded = agent.texts.length;
      handleClientMessage(room, socket, peerOf(socket), LIST, now);
      if (agent.texts.length > forwarded) return null;
      return (JSON.parse(socket.texts.at(-1) ?? '') as { code: string }).code;
    };
    const answers = (socket: WebSocket, commands = PAGE, more = false) => {
      const message = { type: 'command_list', request: 'l', session: 's1', commands, more } as const;
      const presence = {} as PresenceWatch;
      const { channel } = peerOf(socket);
      const peer = room.board.peerOf(agent) as AgentPeer;
      handleAgentMessage(room, presence, peer, { type: 'to_client', channel, message }, now);
    };
    return { room, admit, peerOf, asks, answers };
  }

  it('[RL16] count for the token that asks, over all its connections, and are refused if they are many', () => {
    const { admit, asks, answers } = world();
    const [one, two, other] = [admit('t1'), admit('t1'), admit('t2')];
    const pageBytes = Buffer.byteLength(JSON.stringify(PAGE));
    const room = LISTS_BURST_MAX_BYTES - 2 * COMMAND_LIST_MAX_BYTES;
    // Each byte counts four times, and each round answers twice.
    for (let told = 0; told < room; told += 2 * 4 * pageBytes) {
      expect([asks(one), asks(two)]).toEqual([null, null]);
      answers(one);
      answers(two);
    }
    while (asks(one) === null) answers(one);
    expect([asks(one), asks(two), asks(other)]).toEqual(['slow_down', 'slow_down', null]);
    expect([one.closed, two.closed]).toEqual([undefined, undefined]);
  });

  it('[RL16] [SEC15] [X19] count with the greatest length before they are answered', () => {
    const { admit, asks, answers } = world();
    const [one, other] = [admit('t1'), admit('t2')];
    const atOnce = LISTS_BURST_MAX_BYTES / COMMAND_LIST_MAX_BYTES;
    for (let requests = 0; requests <= atOnce; requests++) expect(asks(one)).toBeNull();
    expect([asks(one), asks(other)]).toEqual(['slow_down', null]);
    answers(one, PAGE, true);
    expect(asks(one), 'a page that is not the last').toBe('slow_down');
    for (let requests = 0; requests < 2; requests++) answers(one, []);
    expect(asks(one), 'answered').toBeNull();
  });

  it('[A6] [RL16] digests count with them', () => {
    const { room, admit, peerOf, asks } = world();
    room.board.describeAgent({ can: ['digest'] });
    const [one, other] = [admit('t1'), admit('t2')];
    const digest = { type: 'read_digest', request: 'l', since: '2026-11-17T10:00:00.000Z' } as const;
    const atOnce = LISTS_BURST_MAX_BYTES / COMMAND_LIST_MAX_BYTES;
    for (let requests = 0; requests <= atOnce; requests++)
      handleClientMessage(room, one, peerOf(one), digest, now);
    expect([asks(one), asks(other)]).toEqual(['slow_down', null]);
    const { channel } = peerOf(one);
    const agent = room.board.peerOf(room.board.agent as WebSocket) as AgentPeer;
    const answer = { type: 'digest' as const, request: 'l', sessions: [] };
    const told = { type: 'to_client' as const, channel, message: answer };
    for (let answers = 0; answers < 2; answers++)
      handleAgentMessage(room, {} as PresenceWatch, agent, told, now);
    expect(asks(one), 'answered').toBeNull();
  });

  it('[RL27] count for the token although they are empty', () => {
    /** How many requests a token may send at once. */
    const allowed = (message: ClientMessage) => {
      const { room, admit, peerOf, answers } = world();
      // So many that no connection has sent too much by itself.
      const clients = Array.from({ length: 20 }, () => admit('t1'));
      for (let requests = 0; ; requests++) {
        const client = clients[requests % clients.length] as (typeof clients)[number];
        room.pace.admits(client, peerOf(client), 'x'.repeat(50), now);
        handleClientMessage(room, client, peerOf(client), message, now);
        if (client.texts.some((told) => told.includes('slow_down'))) return requests;
        if (message === LIST) answers(client, []);
      }
    };
    expect(allowed(LIST)).toBeLessThan(0.25 * allowed(READ));
  });
});
