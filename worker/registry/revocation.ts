/** Whether a credential has been taken back. Pure; the registry keeps the list. Rule GT8. */
import { CLOCK_SKEW_MAX_S } from '../../protocol/limits.ts';
import type { Credential } from '../peers/peer.ts';

/** Times in ms. `expiresAt`: when the token ends by itself, after which its name need not be kept. */
export type Revocation =
  | { readonly jti: string; readonly expiresAt?: number | undefined }
  | { readonly before: number };

/** One page of what is revoked, as the API answers it. ISO times. */
export interface RevocationList {
  readonly before: string | null;
  readonly revocations: readonly {
    readonly jti: string;
    readonly revokedAt: string | null;
    readonly expiresAt: string | null;
  }[];
  /** Where the next page begins; null on the last. */
  readonly next: string | null;
}

/** What became of a wish to revoke. */
export type RevocationOutcome = 'revoked' | 'list_full' | 'in_the_future';

export interface Revocations {
  /** Everything issued before this moment (ms) is revoked. */
  readonly before: number;
  /** Whether this one is, by name. */
  readonly names: (tokenId: string) => boolean;
}

export function isRevoked({ tokenId, issuedAt }: Credential, { before, names }: Revocations): boolean {
  return issuedAt < before || names(tokenId);
}

/** A moment further ahead than clocks differ would lock out tokens that are yet to be made, and so everybody. */
export function isInTheFuture(revocation: Revocation, now: number): boolean {
  return 'before' in revocation && revocation.before > now + CLOCK_SKEW_MAX_S * 1000;
}

/** Whether `revocation` concerns this credential: live sockets are closed by the new one alone. */
export function concerns(revocation: Revocation, { tokenId, issuedAt }: Credential): boolean {
  return 'jti' in revocation ? revocation.jti === tokenId : issuedAt < revocation.before;
}
