/**
 * An agent that sends without a pause, and another workspace that must be served meanwhile. It goes on until that one was
 * served, so that nothing depends on how long this process has to wait for the processor.
 */
import { describe, expect, it } from 'vitest';
import { TURN_COST } from '../../../protocol/limits.ts';
import { relay, startsWorkspaces } from '../../support/own-workspace.ts';
import { connectAgent } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

startsWorkspaces();

/** What an agent has sent and the relay has not answered: more than it can read in a moment. */
const BLOCKS_WAITING = 4;
const BLOCKS_MAX = 160;
const ANSWERS = 10;

/** How many blocks the agent has sent until another workspace had its answers. */
async function blocksOf(agent: ScriptedPeer, sendBlock: () => void): Promise<number> {
  const token = await relay.token('operator', 'elsewhere');
  const other = await ScriptedPeer.connect(new URL('/ws/workspaces/elsewhere', relay.url), {
    Authorization: `Bearer ${token}`,
  });
  await other.message('agent_state');
  let isServed = false;
  const flood = async (): Promise<number> => {
    let sent = 0;
    const send = () => {
      sendBlock();
      agent.send({ type: 'ask_presence', question: `${sent++}` });
    };
    while (sent < BLOCKS_WAITING) send();
    for (let answered = 0; answered < sent; answered++) {
      const { question } = await agent.message<{ type: string; question: string }>('presence');
      expect(question, 'nothing is lost').toBe(`${answered}`);
      if (!isServed && sent < BLOCKS_MAX) send();
    }
    return sent;
  };
  const flooding = flood();
  for (let request = 0; request < ANSWERS; request++) {
    other.send({ type: 'load_layout', request: `${request}` });
    await other.message('layout');
  }
  isServed = true;
  return flooding;
}

describe('a workspace is served', () => {
  it('[X9] [RL17] while the agent of another sends long messages, which is not closed', async () => {
    // Long messages, so that the relay takes longer to read them than we to send them.
    const session = sessionInfo('s1', { title: 'x'.repeat(60_000) });
    const agent = await connectAgent(relay);
    const blocks = await blocksOf(agent, () => {
      for (let i = 0; i < TURN_COST; i++) agent.send({ type: 'session_changed', session });
    });
    expect(blocks).toBeLessThan(BLOCKS_MAX);
  });
});
