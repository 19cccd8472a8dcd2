/** What lies over a terminal that can not be used right now, and why. */
import type { SessionState } from '../client/attached-session.ts';
import type { ClientState } from '../client/workspace-client.ts';
import { offlineSentence } from './connection-status.ts';
import type { FlowState } from './session-flow.ts';

export type TerminalCover =
  | { readonly kind: 'none' }
  /** Gets better by itself. */
  | { readonly kind: 'waiting'; readonly title: string; readonly detail: string }
  /** Waits for a person. */
  | { readonly kind: 'stopped'; readonly sentence: string; readonly action: CoverAction };

export type CoverAction = 'New terminal' | 'Try again' | 'Reload';

export interface Situation {
  readonly client: ClientState;
  readonly flow: FlowState['name'];
  /** Why the flow stands still, when it does. */
  readonly sentence: string;
  readonly session: SessionState['name'] | null;
  readonly returning: boolean;
  /** Typed, but not yet taken by the program. */
  readonly unsentBytes: number;
  /** Typed, and given up: too old, or too much. */
  readonly discardedBytes: number;
}

export function coverOf(situation: Situation, now: Date): TerminalCover {
  const { client, flow, sentence, session } = situation;
  const isOffline = client.name === 'live' && client.agent.state === 'offline';
  if (flow === 'ended' && !isOffline) return { kind: 'stopped', sentence, action: 'New terminal' };
  if (flow === 'failed') return { kind: 'stopped', sentence, action: 'Try again' };
  if (client.name === 'refused') return { kind: 'stopped', sentence: client.why, action: 'Reload' };
  if (session === 'live') return { kind: 'none' };
  const title = situation.returning ? 'Reconnecting…' : 'Connecting…';
  return { kind: 'waiting', title, detail: waitingDetail(situation, now) };
}

function waitingDetail({ client, discardedBytes, unsentBytes }: Situation, now: Date): string {
  const details: string[] = [];
  if (client.name === 'live' && client.agent.state === 'offline') {
    details.push(offlineSentence(client.agent, now));
  }
  if (unsentBytes > 0) details.push('What you typed is sent if the connection is back within half a minute.');
  if (discardedBytes > 0) details.push('Some of what you typed was discarded: it would have come too late.');
  return details.join(' ');
}
