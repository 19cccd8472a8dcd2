/** Formats the round-trip times for the status line. */
import type { Statistics } from '../../../client/workspace-client.ts';

export function roundTripText({ toRelayMs, toAgentMs }: Statistics): string {
  if (toAgentMs !== null) {
    const relay = toRelayMs === null ? '' : ` (relay ${rounded(toRelayMs)})`;
    return `Round trip ${rounded(toAgentMs)}${relay}`;
  }
  return toRelayMs === null ? '' : `Relay ${rounded(toRelayMs)}`;
}

/** Rounded to steps, because the last digit of a large number would only flicker. */
function rounded(ms: number): string {
  if (ms < 1) return '< 1 ms';
  return ms < 20 ? `${Math.round(ms)} ms` : `${Math.round(ms / 5) * 5} ms`;
}
