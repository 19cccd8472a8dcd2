/** Decides what overlays a terminal that cannot be used right now, and with which reason. */

import type { SessionState } from '../../../client/session-state.ts';
import type { ClientState } from '../../../client/workspace-client.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import type { FlowState } from '../tabs/flow-state.ts';
import { offlineSentence } from './connection-status.ts';

export type TerminalCover =
  | { readonly kind: 'none' }
  /** Resolves by itself. */
  | { readonly kind: 'waiting'; readonly title: string; readonly detail: string; readonly unsent: string }
  /** Waits for the user. */
  | { readonly kind: 'stopped'; readonly sentence: string; readonly action: CoverAction | null };

export type CoverAction = 'New shell here' | 'Try again' | 'Reload';

export interface CoverInput {
  readonly client: ClientState;
  readonly flow: FlowState['name'];
  /** Why the flow has stopped, if it has. */
  readonly sentence: string;
  readonly session: SessionState['name'] | null;
  readonly returning: boolean;
  /** Input that the program has not taken yet, as readable text. */
  readonly unsent: string;
  /** Input that was discarded because it was too old or too long. */
  readonly discardedBytes: number;
  readonly mayManage: boolean;
}

export function coverOf(situation: CoverInput, now: Date): TerminalCover {
  const { client, flow, mayManage, sentence, session } = situation;
  const isOffline = client.name === 'live' && client.agent.state === 'offline';
  if (client.name === 'refused') {
    // The page shows this below all terminals, with a field for another link; the screen stays readable to its last
    // line.
    if (client.code === CLOSE.unauthorized) return { kind: 'none' };
    return { kind: 'stopped', sentence: printable(client.why, SENTENCE_MAX_CHARS), action: 'Reload' };
  }
  if (flow === 'ended' && !isOffline)
    return { kind: 'stopped', sentence, action: mayManage ? 'New shell here' : null };
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
