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

describe('the audit trail records', () => {
  it('[SEC18] [AU1] [T3] who read which commands ran, unless it is attached', async () => {
    const [ada, vera] = [await named('Ada'), await named('Vera', 'viewer')];
    await attaches(ada);
    await listsCommands(ada);
    await listsCommands(vera);
    expect(await said()).toEqual(['Vera attached s1 commands', 'Ada attached s1']);
  });
});
