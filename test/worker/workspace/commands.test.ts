/** Requests about commands in the relay: what an agent of an earlier version gets of them, and what they cost. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import { channelOf, connectAgent, connectClient, questioned } from '../../support/relay-story.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.onWorkerd();
});

const LIST = { type: 'list_commands', request: 'l', session: 's1' };
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

  it('is told to clients apart from one that can, also by an object that has slept', async () => {
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

describe('[T3] [RL16] lists of commands', () => {
  it('count for the token that asks, over all its connections, and are refused if they are many', async () => {
    const agent = await connectAgent(relay);
    const token = await relay.token('viewer');
    const pages = 40;
    // A connection may be sent 8 MiB, and all of a token together as much in lists.
    for (let connection = 0; connection < 4; connection++) {
      const viewer = await connectClient(relay, 'viewer', token);
      const channel = await channelOf(viewer, agent);
      viewer.send(LIST);
      await agent.message('from_client');
      for (let i = 1; i <= pages; i++) {
        const message = { ...LIST, type: 'command_list', commands: PAGE, more: i < pages };
        agent.send({ type: 'to_client', channel, message });
      }
      for (let i = 1; i <= pages; i++) await viewer.message('command_list');
    }
    const viewer = await connectClient(relay, 'viewer', token);
    viewer.send(LIST);
    expect(await viewer.message('error')).toMatchObject({
      code: 'slow_down',
      request: 'l',
      retryAfterMs: expect.any(Number),
    });
    const other = await connectClient(relay, 'viewer');
    other.send(LIST);
    expect(await agent.message('from_client'), 'another token').toMatchObject({ message: LIST });
  });
});
