/** How the agent dials the relay: where, when again, and what its log tells of it. Pure. */
import type { Details } from '../node/log.ts';
import { CLOSE, type Redial, redialAfter } from '../protocol/close-codes.ts';
import type { ConnectionState } from '../protocol/connection.ts';
import { type AgentMessage, LINK_QUESTION } from '../protocol/messages/agent-message.ts';

/** Asks the relay's object, because a pong does not prove that it knows this link. */
export const ARE_WE_KNOWN = JSON.stringify({
  type: 'ask_presence',
  question: LINK_QUESTION,
} satisfies AgentMessage);

/**
 * The agent stops only for a newer agent. Any other refusal (a bad token, a version, a message the relay cannot read)
 * may be fixed without it, and giving up would end every shell.
 */
export function agentRedial(code: number): Redial {
  return code === CLOSE.replaced ? redialAfter(code) : 'yes';
}

/** What the log tells of a connection. */
export function linkDetails(state: ConnectionState): Details {
  if (state.name === 'closed' || state.name === 'waiting') {
    return { state: state.name, code: state.code, reason: state.reason };
  }
  return { state: state.name };
}

/** The region matters only for the first connection the workspace ever had. [RL13] */
export function agentPath(workspace: string, region: string): string {
  return `/ws/agent/${workspace}${region === '' ? '' : `?region=${region}`}`;
}
