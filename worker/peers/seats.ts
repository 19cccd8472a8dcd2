/** Decides whether a workspace has a seat for another client. A pure function. Rule RL14. */
import { CLIENTS_MAX, TOKEN_CLIENTS_MAX, VIEWERS_MAX } from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/roles.ts';

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
