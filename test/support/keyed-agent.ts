/** A scripted agent with an agent key: it dials with the key and answers the relay's challenge, correctly or not. */
import { AGENT_KEY_HEADER, CHALLENGE_HEADER, decodeChallenge } from '../../protocol/agent-key.ts';
import { AgentKey } from '../../vm-agent/identity/agent-key.ts';
import { ScriptedPeer } from './scripted-peer.ts';
import { sessionInfo } from './scripted-session.ts';
import type { TestRelay } from './test-relay.ts';

export const newKey = () => new AgentKey(AgentKey.makeSecret());

interface DialOptions {
  readonly token?: string;
  readonly workspace?: string;
}

/** Dials with `key` in the header, or without the header if there is none. */
export async function dialAgent(
  relay: TestRelay,
  key?: string,
  { token, workspace = relay.workspace }: DialOptions = {},
): Promise<ScriptedPeer> {
  const peer = await ScriptedPeer.connect(new URL(`/ws/agent/${workspace}`, relay.url), {
    Authorization: `Bearer ${token ?? (await relay.token('agent', workspace))}`,
    ...(key === undefined ? {} : { [AGENT_KEY_HEADER]: key }),
  });
  // workerd takes ten seconds to hang up on a socket that it has closed and that never sent anything.
  await peer.pong();
  return peer;
}

/** The correct answer to the challenge that this peer got. */
export function proofOf(peer: ScriptedPeer, key: AgentKey, workspace: string): string {
  const challenge = decodeChallenge(String(peer.headers[CHALLENGE_HEADER.toLowerCase()]));
  if (challenge === null) throw new Error('there was no challenge');
  return key.prove(workspace, challenge);
}

export function hello(agent: ScriptedPeer, epoch = 'epoch-1'): void {
  agent.send({ type: 'hello', version: 1, epoch, sessions: [sessionInfo('s1')], more: false });
}

/** Sends the proof and `hello` together, as the real agent does. Resolves when the relay has accepted the agent. */
export async function connectKeyed(
  relay: TestRelay,
  key: AgentKey,
  options: DialOptions = {},
): Promise<ScriptedPeer> {
  const agent = await dialAgent(relay, key.publicText, options);
  agent.send({ type: 'prove', mac: proofOf(agent, key, options.workspace ?? relay.workspace) });
  hello(agent);
  await agent.message('presence');
  return agent;
}
