/** How long the ways are, for the status line. */
import type { Statistics } from '../../../client/workspace-client.ts';

export function roundTripText({ toRelayMs, toAgentMs }: Statistics): string {
  if (toAgentMs !== null) {
    const relay = toRelayMs === null ? '' : ` (relay ${rounded(toRelayMs)})`;
    return `Round trip ${rounded(toAgentMs)}${relay}`;
  }
  return toRelayMs === null ? '' : `Relay ${rounded(toRelayMs)}`;
}

/** Steps that can be read: the last digit of a large number only flickers. */
function rounded(ms: number): string {
  if (ms < 1) return '< 1 ms';
  return ms < 20 ? `${Math.round(ms)} ms` : `${Math.round(ms / 5) * 5} ms`;
}
