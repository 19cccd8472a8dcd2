/** Whether a credential has been taken back. Pure; the registry keeps the list. Rule GT8. */
import type { Credential } from './peer.ts';

export type Revocation = { readonly jti: string } | { readonly before: number };

export interface Revocations {
  /** Everything issued before this moment (ms) is revoked. */
  readonly before: number;
  /** Whether this one is, by name. */
  readonly names: (tokenId: string) => boolean;
}

export function isRevoked({ tokenId, issuedAt }: Credential, { before, names }: Revocations): boolean {
  return issuedAt < before || names(tokenId);
}

/** Whether `revocation` concerns this credential: live sockets are closed by the new one alone. */
export function concerns(revocation: Revocation, { tokenId, issuedAt }: Credential): boolean {
  return 'jti' in revocation ? revocation.jti === tokenId : issuedAt < revocation.before;
}
