/** The connection state as the status line shows it. */

import type { ClientState } from '../../../client/workspace-client.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import type { AgentPresence } from '../../../protocol/messages/server-message.ts';
import { printable } from '../../../protocol/printable.ts';
import { since } from '../text/since.ts';

export interface ConnectionStatus {
  readonly tone: 'good' | 'busy' | 'bad';
  readonly text: string;
  /** Time of the next attempt, by the page's clock; null when none is scheduled. */
  readonly retryAt: number | null;
  /** Additional information; may be empty. */
  readonly detail: string;
}

interface ConnectionFacts {
  readonly state: ClientState;
  /** Whether this page has been connected before. */
  readonly wasLive: boolean;
  /** The agent counts as online but does not answer. */
  readonly isAgentSilent: boolean;
}

export function connectionStatus(facts: ConnectionFacts, now: Date): ConnectionStatus {
  const { state, wasLive, isAgentSilent } = facts;
  switch (state.name) {
    case 'live':
      if (isAgentSilent && state.agent.state === 'online')
        return { tone: 'bad', text: 'The machine is not responding.', retryAt: null, detail: '' };
      return state.agent.state === 'online'
        ? { tone: 'good', text: 'Connected', retryAt: null, detail: onlineSentence(state.agent, now) }
        : { tone: 'bad', text: offlineSentence(state.agent, now), retryAt: null, detail: '' };
    case 'connecting':
      return { tone: 'busy', text: wasLive ? 'Reconnecting…' : 'Connecting…', retryAt: null, detail: '' };
    case 'waiting':
      return {
        tone: 'busy',
        text: 'Reconnecting…',
        retryAt: state.retryAt,
        detail: printable(state.why, SENTENCE_MAX_CHARS),
      };
    case 'refused':
      return { tone: 'bad', text: printable(state.why, SENTENCE_MAX_CHARS), retryAt: null, detail: '' };
  }
}

export function offlineSentence({ since: when }: AgentPresence, now: Date): string {
  return when === null
    ? 'The machine has not connected yet.'
    : `The machine has been offline since ${since(when, now)}.`;
}

function onlineSentence({ since: when }: AgentPresence, now: Date): string {
  return when === null ? '' : `Machine online since ${since(when, now)}`;
}
