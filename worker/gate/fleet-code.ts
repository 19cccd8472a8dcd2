/**
 * Codes that the owner gives away: an invite for a machine, or a link to log in as the owner. A code has 128 random
 * bits; what it stands for, and whether it was used, is kept by the fleet's object. Its check value lets the gate refuse
 * others without waking that object. Rules GT1 and GT14.
 */
import type { JwtVerdict, Secrets } from './jwt.ts';
import { makeTimedCode, readTimedCode, type TimedCode } from './timed-code.ts';

export type FleetCodeKind = 'invite' | 'owner link';

export type FleetCode = TimedCode;

/** `owner` is the public key of the owner: when that is replaced, what the previous owner gave away is worth nothing. */
export function makeFleetCode(
  kind: FleetCodeKind,
  owner: string,
  lifetimeSeconds: number,
  secrets: Secrets,
  now: number,
): Promise<FleetCode & { readonly code: string }> {
  return makeTimedCode(purposeOf(kind, owner), lifetimeSeconds, secrets, now);
}

export async function verifyFleetCode(
  kind: FleetCodeKind,
  owner: string,
  code: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<FleetCode>> {
  const read = await readTimedCode(purposeOf(kind, owner), code, secrets);
  if (read === null) return { ok: false, reason: 'invalid', why: WHY_INVALID[kind] };
  if (read.expiresAt <= now) return { ok: false, reason: 'expired', why: WHY_EXPIRED[kind] };
  return { ok: true, claims: read };
}

const WHY_INVALID: Readonly<Record<FleetCodeKind, string>> = {
  invite:
    'This code is not an invite of this relay: it was made by another relay, or not copied completely. Check both, or make another one with `holdfast invite`.',
  'owner link':
    'This link was not made by this relay, or not copied completely. Make another one with `holdfast link --owner`.',
};

const WHY_EXPIRED: Readonly<Record<FleetCodeKind, string>> = {
  invite: 'This invite has expired; it was valid for 10 minutes. Make another one with `holdfast invite`.',
  'owner link':
    'This link has expired; it was valid for 10 minutes. Make another one with `holdfast link --owner`.',
};

const purposeOf = (kind: FleetCodeKind, owner: string) => `${kind} ${owner}`;
