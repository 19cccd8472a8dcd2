/** Messages that an agent of the first version does not know: forwarded only to one that says it does. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_MESSAGE_HANDLING } from '../../../protocol/messages/client-message.ts';
import { CLIENT_MESSAGES } from '../../protocol/message-examples.ts';
import { connectAgent, connectClient, questioned } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.onWorkerd();
});

const NEW = Object.values(CLIENT_MESSAGES).filter(({ type }) => CLIENT_MESSAGE_HANDLING[type].needs);

describe('[RL30] an agent of an earlier version', () => {
  it('gets none of the messages that need an ability, and the client is told why', async () => {
    const agent = await connectAgent(relay, { can: ['something later'] });
    const client = await connectClient(relay);
    for (const message of NEW) {
      client.send(message);
      expect(await client.message('error'), message.type).toMatchObject({ code: 'unsupported' });
    }
    expect(NEW.length).toBeGreaterThan(6);
    expect((await questioned(agent)).before, 'the agent hears nothing of it').toEqual([]);
  });

  it('is told to clients apart from one that can', async () => {
    await connectAgent(relay, { can: ['run'] });
    const client = await connectClient(relay);
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({ agent: { can: ['run'] } });
    client.send(CLIENT_MESSAGES.read_digest);
    expect(await client.message('error')).toMatchObject({ code: 'unsupported' });
  });
});

describe('[RL30] an agent that has just connected', () => {
  it('counts as not connected for these messages until it has said what it can do', async () => {
    await connectAgent(relay);
    const client = await connectClient(relay);
    const token = await relay.token('agent');
    const silent = await ScriptedPeer.connect(new URL(`/ws/agent/${relay.workspace}`, relay.url), {
      Authorization: `Bearer ${token}`,
    });
    for (const message of [...NEW, CLIENT_MESSAGES.list_commands]) {
      client.send(message);
      expect(await client.message('error'), message.type).toMatchObject({ code: 'agent_offline' });
    }
    silent.terminate();
  });
});

describe('[AU5] what the agent types for a client', () => {
  it('is recorded as typed by that client', async () => {
    const agent = await connectAgent(relay);
    const client = await connectClient(relay);
    client.send({ ...CLIENT_MESSAGES.run_command, session: 's1' });
    await agent.message('from_client');
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({
      sessions: [{ id: 's1', typedBy: expect.any(String) }],
    });
  });
});
