/**
 * Whose a connection or a request is: what one may hold or ask for is counted over all that it has. A ticket counts for the
 * token that bought it, but apart in each role: a viewer that was let in by it takes nothing from the operator who did.
 */
import type { Role } from '../../protocol/messages.ts';
import type { Credential } from './peer.ts';

export interface Owner {
  readonly role: Role;
  readonly tokenId: string;
}

export const ownerKey = ({ role, tokenId }: Owner): string => `${role} ${tokenId}`;

/** Of a peer or a caller; an agent that has yet to prove its key is an agent. */
export function ownerOf<R extends Role>(who: {
  readonly role: R | 'pending_agent';
  readonly credential: Credential;
}): Owner & { readonly role: R } {
  const role = (who.role === 'pending_agent' ? 'agent' : who.role) as R;
  return { role, tokenId: who.credential.tokenId };
}
