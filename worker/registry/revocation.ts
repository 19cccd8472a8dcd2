/** Decides whether a credential is revoked. Pure functions; the registry keeps the list. Rule GT8. */
import { CLOCK_SKEW_MAX_S } from '../../protocol/limits.ts';
import type { Credential } from '../peers/peer.ts';

/** Times in ms. `expiresAt` is when the token expires; its id need not be kept after that. */
export type Revocation =
  | { readonly jti: string; readonly expiresAt?: number | undefined }
  | { readonly before: number };

/** One page of revocations, as the API answers it. ISO times. */
export interface RevocationList {
  readonly before: string | null;
  readonly revocations: readonly {
    readonly jti: string;
    readonly revokedAt: string | null;
    readonly expiresAt: string | null;
  }[];
  /** Where the next page begins; null on the last page. */
  readonly next: string | null;
}

/** The result of a request to revoke. */
export type RevocationOutcome = 'revoked' | 'list_full' | 'in_the_future';

export interface Revocations {
  /** Everything issued before this time (ms) is revoked. */
  readonly before: number;
  /** Whether this token id is revoked. */
  readonly names: (tokenId: string) => boolean;
}

export function isRevoked({ tokenId, issuedAt }: Credential, { before, names }: Revocations): boolean {
  return issuedAt < before || names(tokenId);
}

/** A time further ahead than clocks differ would lock out tokens that are not issued yet, and so everybody. */
export function isInTheFuture(revocation: Revocation, now: number): boolean {
  return 'before' in revocation && revocation.before > now + CLOCK_SKEW_MAX_S * 1000;
}

/**
 * Whether `revocation` applies to this credential. Only the new revocation is checked to find the open sockets to
 * close.
 */
export function concerns(revocation: Revocation, { tokenId, issuedAt }: Credential): boolean {
  return 'jti' in revocation ? revocation.jti === tokenId : issuedAt < revocation.before;
}
