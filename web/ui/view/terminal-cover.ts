/** What lies over a terminal that cannot be used right now, and why. */

import type { SessionState } from '../../../client/session-state.ts';
import type { ClientState } from '../../../client/workspace-client.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import type { FlowState } from '../tabs/flow-state.ts';
import { offlineSentence } from './connection-status.ts';

export type TerminalCover =
  | { readonly kind: 'none' }
  /** Gets better by itself. */
  | { readonly kind: 'waiting'; readonly title: string; readonly detail: string; readonly unsent: string }
  /** Waits for a person. */
  | { readonly kind: 'stopped'; readonly sentence: string; readonly action: CoverAction | null };

export type CoverAction = 'New shell here' | 'Try again' | 'Reload';

export interface CoverInput {
  readonly client: ClientState;
  readonly flow: FlowState['name'];
  /** Why the flow stands still, when it does. */
  readonly sentence: string;
  readonly session: SessionState['name'] | null;
  readonly returning: boolean;
  /** Typed, but not yet taken by the program, as a person reads it. */
  readonly unsent: string;
  /** Typed, and given up: too old, or too much. */
  readonly discardedBytes: number;
  readonly mayType: boolean;
}

export function coverOf(situation: CoverInput, now: Date): TerminalCover {
  const { client, flow, mayType, sentence, session } = situation;
  const isOffline = client.name === 'live' && client.agent.state === 'offline';
  if (client.name === 'refused') {
    // The page says so below all terminals, and takes another link; the screen stays readable to its last line.
    if (client.code === CLOSE.unauthorized) return { kind: 'none' };
    return { kind: 'stopped', sentence: printable(client.why, SENTENCE_MAX_CHARS), action: 'Reload' };
  }
  if (flow === 'ended' && !isOffline)
    return { kind: 'stopped', sentence, action: mayType ? 'New shell here' : null };
  if (flow === 'failed') return { kind: 'stopped', sentence, action: 'Try again' };
  if (session === 'live') return { kind: 'none' };
  const title = situation.returning ? 'Reconnecting…' : 'Connecting…';
  return { kind: 'waiting', title, detail: waitingDetail(situation, now), unsent: situation.unsent };
}

function waitingDetail({ client, discardedBytes }: CoverInput, now: Date): string {
  const details: string[] = [];
  if (client.name === 'live' && client.agent.state === 'offline') {
    details.push(`${offlineSentence(client.agent, now)} This terminal reconnects when it is back.`);
  }
  if (discardedBytes > 0) details.push('Some of what you typed was discarded because it was too old.');
  return details.join(' ');
}
