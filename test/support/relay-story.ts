/**
 * The usual peers of a relay test: an agent that has sent `hello`, and clients that have received the agent's state.
 */
import { encodeFrame } from '../../protocol/frame.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { ScriptedPeer } from './scripted-peer.ts';
import { sessionInfo } from './scripted-session.ts';
import type { TestRelay } from './test-relay.ts';

export const HANDLE = 7;

export const bytes = (text: string) => new TextEncoder().encode(text);

export const output = (channel: number, offset: number, text: string, handle = HANDLE) =>
  encodeFrame({ kind: 'output', channel, handle, offset }, bytes(text));

export const input = (offset: number, text: string, handle = HANDLE) =>
  encodeFrame({ kind: 'input', channel: 0, handle, offset }, bytes(text));

interface AgentOptions {
  readonly epoch?: string;
  readonly sessions?: readonly SessionInfo[];
  readonly graceMs?: number;
  readonly token?: string;
  /** False: an agent of an earlier version. */
  readonly listsCommands?: boolean;
  /** What it says that it can do; all of it by default. */
  readonly can?: readonly string[];
  readonly trouble?: string;
  readonly build?: string;
}

export async function connectAgent(relay: TestRelay, options: AgentOptions = {}): Promise<ScriptedPeer> {
  const { epoch = 'epoch-1', sessions = [sessionInfo('s1')], token, listsCommands = true } = options;
  const { can = ['run', 'attention', 'digest'] } = options;
  const { graceMs, trouble, build } = options;
  const agent = await ScriptedPeer.connect(new URL(`/ws/agent/${relay.workspace}`, relay.url), {
    Authorization: `Bearer ${token ?? (await relay.token('agent'))}`,
  });
  agent.send({
    type: 'hello',
    version: 1,
    epoch,
    sessions,
    more: false,
    listsCommands,
    can,
    graceMs,
    trouble,
    build,
  });
  await agent.message('presence');
  return agent;
}

export async function connectClient(
  relay: TestRelay,
  role: ClientRole = 'operator',
  token?: string,
): Promise<ScriptedPeer> {
  const client = await ScriptedPeer.connect(new URL(`/ws/workspaces/${relay.workspace}`, relay.url), {
    Authorization: `Bearer ${token ?? (await relay.token(role))}`,
  });
  await client.message('agent_state');
  // workerd takes ten seconds to hang up on a socket that it has closed and that never sent anything.
  await client.pong();
  return client;
}

/** The client's channel, learnt as an agent learns it: from a request that the relay forwards. */
export async function channelOf(client: ScriptedPeer, agent: ScriptedPeer): Promise<number> {
  client.send({ type: 'reattach_session', request: 'r', session: 's1', instance: 'i', cols: 80, rows: 24 });
  const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
  return channel;
}

/** A client that watches a session, as after an attach. */
export async function attachClient(
  relay: TestRelay,
  agent: ScriptedPeer,
): Promise<{ client: ScriptedPeer; channel: number }> {
  const client = await connectClient(relay);
  const channel = await channelOf(client, agent);
  agent.send({ type: 'subscribe', channel, handle: HANDLE });
  agent.send(output(0, 0, '$ '));
  await client.frame();
  return { client, channel };
}

/** All connected clients, as reported to the agent, and the messages it received before the answer. */
export async function questioned(agent: ScriptedPeer): Promise<{ clients: number[]; before: unknown[] }> {
  const question = crypto.randomUUID();
  agent.send({ type: 'ask_presence', question });
  const before: unknown[] = [];
  for (;;) {
    const message = await agent.next();
    if (isAnswer(message, question))
      return { clients: message.clients.map(({ channel }) => channel), before };
    before.push(message);
  }
}

function isAnswer(
  message: unknown,
  question: string,
): message is { clients: readonly { readonly channel: number }[] } {
  return (
    typeof message === 'object' && message !== null && 'question' in message && message.question === question
  );
}
