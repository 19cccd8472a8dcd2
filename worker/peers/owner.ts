/**
 * The owner of a connection or request: the token by which limits are counted. A ticket counts for the token that
 * bought it, but separately for each role: a viewer admitted by a ticket takes nothing from the operator who bought it.
 */
import type { Role } from '../../protocol/roles.ts';
import type { Credential } from './peer.ts';

export interface Owner {
  readonly role: Role;
  readonly tokenId: string;
}

export const ownerKey = ({ role, tokenId }: Owner): string => `${role} ${tokenId}`;

/** The owner of a peer or a caller. An agent that has not proven its key yet counts as an agent. */
export function ownerOf<R extends Role>(who: {
  readonly role: R | 'pending_agent';
  readonly credential: Credential;
}): Owner & { readonly role: R } {
  const role = (who.role === 'pending_agent' ? 'agent' : who.role) as R;
  return { role, tokenId: who.credential.tokenId };
}
