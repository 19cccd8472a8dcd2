/** Why a session was ended, as a phrase for people; each caller builds its own sentence around it. */
import type { EndReason } from '../protocol/messages/session-info.ts';

/** `after` is how long the session may be without clients, if known: "60 s". */
export function endReasonText(reason: EndReason, after?: string): string {
  if (reason === 'orphan_expired') return `nobody was attached${after === undefined ? '' : ` for ${after}`}`;
  return reason === 'idle' ? 'it was idle for too long' : 'a newer session needed its place';
}
