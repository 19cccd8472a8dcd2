/** An agent that answers what nobody asked: the audit trail names a person only for what the relay saw that person ask. */
import { describe, expect, it } from 'vitest';
import { ASKED_REMEMBERED_MAX, CLOSE_AFTER_MAX_MS } from '../../../protocol/limits.ts';
import { AuditJournal } from '../../../worker/audit/audit-journal.ts';
import { connectAgent, HANDLE, input, questioned } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { agent, attaches, confirmation, named, relay, said, startsWorkspaces } from './audited-workspace.ts';
import { ADA, Story } from './trail-story.ts';

startsWorkspaces();

const channelOf = async (client: ScriptedPeer): Promise<number> => {
  client.send({ type: 'refresh_sessions', request: 'who' });
  return (await agent.message<{ type: string; channel: number }>('from_client')).channel;
};

const snapshot = (request: string, session: string) => ({
  ...{ type: 'snapshot_taken', request, session, handle: HANDLE, format: 'text' },
  ...{ offset: 0, cols: 80, rows: 24, bytes: 0 },
});

const FORGED = [
  { what: 'creation', message: { type: 'session_created', request: 'r', session: sessionInfo('s3') } },
  { what: 'attach', message: confirmation('s1', HANDLE) },
  { what: 'snapshot', message: snapshot('r', 's1') },
  { what: 'list of commands', message: { type: 'command_list', request: 'r', session: 's1', commands: [] } },
] as const;

describe('an agent that nobody asked', () => {
  it.each(FORGED)(
    '[X25] [SEC18] [AU1] writes no row in the name of an operator: $what',
    async ({ message }) => {
      const ada = await named('Ada');
      const channel = await channelOf(ada);
      agent.send({ type: 'to_client', channel, message });
      await questioned(agent);
      expect(await said()).toEqual([]);
    },
  );

  it.each(FORGED)('[AU1] writes one row for one request: $what', async ({ message }) => {
    const ada = await named('Ada');
    const channel = await asks(ada, message.type);
    for (let i = 0; i < 3; i++) agent.send({ type: 'to_client', channel, message });
    await questioned(agent);
    expect(await said()).toHaveLength(1);
    expect((await said())[0]).toMatch(/^Ada (attached s1|created s3)/);
    expect((await said())[0]).not.toContain('×');
  });

  it.each(FORGED)(
    '[SEC18] [AU1] writes no row for another request than the one asked: $what',
    async ({ message }) => {
      const ada = await named('Ada');
      const channel = await asks(ada, message.type);
      agent.send({ type: 'to_client', channel, message: { ...message, request: 'other' } });
      for (const other of FORGED)
        if (other.message.type !== message.type)
          agent.send({ type: 'to_client', channel, message: other.message });
      await questioned(agent);
      expect(await said()).toEqual([]);
    },
  );

  it('[SEC18] [AU1] writes no row for a request that it has refused', async () => {
    const ada = await named('Ada');
    const channel = await asks(ada, 'session_reattached');
    const refusal = { type: 'error', code: 'session_missing', message: 'No.', request: 'r', session: 's1' };
    agent.send({ type: 'to_client', channel, message: refusal });
    agent.send({ type: 'to_client', channel, message: confirmation('s1', HANDLE) });
    await questioned(agent);
    expect(await said()).toEqual([]);
  });

  it('[SEC18] [AU1] writes no attach to another session than the one asked for', async () => {
    const ada = await named('Ada');
    const channel = await asks(ada, 'session_reattached');
    agent.send({ type: 'to_client', channel, message: confirmation('s2', HANDLE) });
    await questioned(agent);
    expect(await said()).toEqual([]);
  });

  it('[SEC18] [AU1] writes no name that its operator did not ask for', async () => {
    const ada = await named('Ada');
    ada.send({ type: 'rename_session', request: 'n', session: 's1', name: 'wanted\u0007' });
    await agent.message('from_client');
    agent.send({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name: 'forged' } });
    agent.send({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name: 'wanted' } });
    await questioned(agent);
    expect(await said()).toEqual(['Ada renamed s1 wanted', '- renamed s1 forged']);
  });

  it('[AU1] names both people who rename a session at once', async () => {
    const [ada, ben] = [await named('Ada'), await named('Ben')];
    ada.send({ type: 'rename_session', request: 'n', session: 's1', name: 'A' });
    await agent.message('from_client');
    ben.send({ type: 'rename_session', request: 'n', session: 's1', name: 'B' });
    await agent.message('from_client');
    for (const name of ['A', 'B'])
      agent.send({ type: 'to_clients', message: { type: 'session_renamed', session: 's1', name } });
    await questioned(agent);
    expect(await said()).toEqual(['Ben renamed s1 B', 'Ada renamed s1 A']);
  });

  it.each([
    { later: CLOSE_AFTER_MAX_MS, who: 'Ada' },
    { later: CLOSE_AFTER_MAX_MS + 1, who: 'nobody' },
  ])('[SEC18] [AU1] names who asked for a close: $who, $later ms later', ({ later, who }) => {
    for (const how of ['at once', 'delayed']) {
      const story = new Story();
      const none = {
        sessionWithHandle: () => null,
        handleOf: () => null,
        learnHandle: () => true,
        typedLast: () => {},
      };
      const journal = new AuditJournal(story.trail, none);
      if (how === 'at once') journal.askedToClose(ADA, 's1', story.now);
      else journal.did(ADA, 'close_asked', story.now, { session: 's1' });
      story.now += later;
      journal.gone('s1', 'closed', story.now);
      expect(story.said()[0], how).toBe(`${who} closed s1 ×1`);
    }
  });

  it('[AU1] that answers after the object slept leaves a row, without a name', async () => {
    const ada = await named('Ada');
    const channel = await asks(ada, 'session_reattached');
    await relay.evict('hibernate');
    agent.send({ type: 'to_client', channel, message: confirmation('s1', HANDLE) });
    await ada.message('session_reattached');
    ada.send(input(0, 'x'));
    await agent.frame();
    expect(await said()).toEqual(['Ada typed s1', '- attached s1']);
  });

  it('[SEC18] [AU1] cannot lose an attach among other requests of the same client', async () => {
    const mallory = await named('Mallory');
    const channel = await asks(mallory, 'session_reattached');
    for (let i = 0; i < ASKED_REMEMBERED_MAX; i++) {
      mallory.send({ type: 'reattach_session', request: `${i}`, session: `none-${i}`, instance: 'i' });
      await agent.message('from_client');
    }
    agent.send({ type: 'to_client', channel, message: confirmation('s1', HANDLE) });
    await questioned(agent);
    expect(await said()).toEqual(['Mallory attached s1']);
  });
});

describe('an agent that changes the number of a session', () => {
  it.each([
    { how: 'gives it to another', session: 's2', handle: HANDLE },
    { how: 'takes another for it', session: 's1', handle: HANDLE + 1 },
  ])(
    '[X25] [SEC18] [AU5] is closed, because keys would be recorded for a wrong session: $how',
    async (wrong) => {
      const [ada, ben] = [await named('Ada'), await named('Ben')];
      await attaches(ada, 's1', HANDLE);
      await relay.evict('hibernate');
      ben.send({ type: 'reattach_session', request: 'r', session: wrong.session, instance: 'i' });
      const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
      agent.send({ type: 'to_client', channel, message: confirmation(wrong.session, wrong.handle) });
      expect((await agent.closed).code).toBe(4400);
    },
  );

  it('[AU5] may do so with a new epoch, and keys are recorded for the new session', async () => {
    const ada = await named('Ada');
    await attaches(ada, 's1', HANDLE);
    const next = await connectAgent(relay, {
      epoch: 'another',
      sessions: [sessionInfo('s1'), sessionInfo('s2')],
    });
    ada.send({ type: 'reattach_session', request: 'r', session: 's2', instance: 'i' });
    const { channel } = await next.message<{ type: string; channel: number }>('from_client');
    next.send({ type: 'to_client', channel, message: confirmation('s2', HANDLE) });
    await questioned(next);
    ada.send(input(0, 'x'));
    await next.frame();
    expect(await said()).toEqual(['Ada typed s2', 'Ada attached s2', 'Ada attached s1']);
  });
});

/** The client asks for what such a message answers. */
async function asks(client: ScriptedPeer, answer: string): Promise<number> {
  const request = 'r';
  const session = 's1';
  client.send(
    answer === 'session_created'
      ? { type: 'create_session', request, cols: 80, rows: 24 }
      : answer === 'session_reattached'
        ? { type: 'reattach_session', request, session, instance: 'i' }
        : answer === 'snapshot_taken'
          ? { type: 'take_snapshot', request, session, format: 'text' }
          : { type: 'list_commands', request, session },
  );
  return (await agent.message<{ type: string; channel: number }>('from_client')).channel;
}
