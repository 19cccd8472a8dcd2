/** The audit trail records who read which commands ran, as it does for snapshots. */
import { describe, expect, it } from 'vitest';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { agent, attaches, named, said, startsWorkspaces } from './audited-workspace.ts';

startsWorkspaces();

/** The client asks which commands ran in s1, and the agent knows none. */
async function listsCommands(client: ScriptedPeer): Promise<void> {
  client.send({ type: 'list_commands', request: 'l', session: 's1' });
  const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
  const message = { type: 'command_list', request: 'l', session: 's1', commands: [] };
  agent.send({ type: 'to_client', channel, message });
  await client.message('command_list');
}

/** The client asks, and the agent has received it. */
async function asks(client: ScriptedPeer, message: object): Promise<void> {
  client.send(message);
  await agent.message('from_client');
}

describe('the audit trail records', () => {
  it('[SEC18] [AU1] [T3] who read which commands ran, unless it is attached', async () => {
    const [ada, vera] = [await named('Ada'), await named('Vera', 'viewer')];
    await attaches(ada);
    await listsCommands(ada);
    await listsCommands(vera);
    expect(await said()).toEqual(['Vera attached s1 commands', 'Ada attached s1']);
  });

  it('[SEC18] [AU1] who waits for commands, and who reads a digest of all sessions', async () => {
    const [ada, vera] = [await named('Ada'), await named('Vera', 'viewer')];
    await attaches(ada);
    const wait = { type: 'await_session', request: 'w', session: 's1', since: 0, waitMs: 0 };
    for (const client of [ada, vera]) await asks(client, { ...wait, for: 'command' });
    expect(await said()).toEqual(['Vera attached s1 commands', 'Ada attached s1']);
    await asks(vera, { ...wait, for: 'attention' });
    await asks(vera, { ...wait, for: 'command', session: 'made-up' });
    expect(await said(), 'lists tell as much').toHaveLength(2);
    await asks(vera, { type: 'read_digest', request: 'd', since: '2026-11-18T09:00:00.000Z' });
    expect((await said())[0]).toBe('Vera attached - digest');
  });

  it('[SEC18] [AU1] who sends which signal', async () => {
    const [ada, vera] = [await named('Ada'), await named('Vera', 'viewer')];
    const signal = { type: 'signal_session', request: 's', session: 's1', signal: 'SIGKILL' };
    await asks(ada, signal);
    await asks(ada, { ...signal, session: 'made-up' });
    vera.send(signal);
    await vera.message('error');
    expect(await said()).toEqual(['Vera refused - forbidden', 'Ada signalled s1 SIGKILL']);
  });
});
