/** Decides whether a workspace has a seat for another client. A pure function. Rule RL14. */
import { CLIENTS_MAX, TOKEN_CLIENTS_MAX, VIEWERS_MAX } from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/roles.ts';

export const UNENDED =
  'Closed connections of this token are still open at their end. Stop the programs that hold them, then retry.';

/**
 * For viewers: connecting costs the workspace more than a message does, so closing the connections of a token that owes
 * would help nobody if it could open others at once.
 */
export const OWING =
  'The connections of this token sent too much in too short a time. Connect again in a moment.';

export interface ClientSeat {
  readonly role: ClientRole;
  /** The id of the seat's token; a ticket counts for the token that bought it. */
  readonly tokenId: string;
}

/**
 * Why there is no seat for `newcomer`; null when there is one. Closed connections that have not ended (`closing`) count
 * for their token and among viewers, because each may hold as much as an open one. They do not use up operators' seats.
 */
export function seatRefusal(
  seated: readonly ClientSeat[],
  newcomer: ClientSeat,
  closing: readonly ClientSeat[] = [],
): string | null {
  if (seated.length >= CLIENTS_MAX) {
    return `This workspace has ${CLIENTS_MAX} clients, which is the limit. Close some.`;
  }
  const held = [...seated, ...closing];
  const ofToken = held.filter(({ tokenId }) => tokenId === newcomer.tokenId).length;
  const most = TOKEN_CLIENTS_MAX[newcomer.role];
  if (ofToken >= most) {
    return `One token can have at most ${most} connections as ${newcomer.role}. Close some, or use another token.`;
  }
  const viewers = held.filter(({ role }) => role === 'viewer').length;
  if (newcomer.role === 'viewer' && viewers >= VIEWERS_MAX) {
    return `This workspace has ${VIEWERS_MAX} viewers, which is the limit; the remaining connections are for operators.`;
  }
  return null;
}
