/** Why a session that is gone was ended, for a person; each place that says so makes a sentence of it. */
import type { EndReason } from '../protocol/messages.ts';

/** `after` is how long nobody may be attached, when that is known: "60 s". */
export function endReasonText(reason: EndReason, after?: string): string {
  if (reason === 'orphan_expired') return `nobody was attached${after === undefined ? '' : ` for ${after}`}`;
  return reason === 'idle' ? 'it was idle for too long' : 'a newer session needed its place';
}
