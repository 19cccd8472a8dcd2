/**
 * Codes that the owner gives away: an invite for a machine, or a link to log in as the owner. A code has 128 random
 * bits; what it stands for, and whether it was used, is kept by the fleet's object. Its check value lets the gate refuse
 * others without waking that object. Rules GT1 and GT14.
 */
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts';
import type { JwtVerdict, Secrets } from './jwt.ts';
import { isMacOf, macOf } from './secret-mac.ts';

const RANDOM_BYTES = 16;
const EXP_BYTES = 4;
const BODY_CHARS = 27;

export type FleetCodeKind = 'invite' | 'owner link';

export interface FleetCode {
  /** The name under which the fleet keeps it; the code itself is not stored. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** `owner` is the public key of the owner: when that is replaced, what the previous owner gave away is worth nothing. */
export async function makeFleetCode(
  kind: FleetCodeKind,
  owner: string,
  lifetimeSeconds: number,
  secrets: Secrets,
  now: number,
): Promise<FleetCode & { readonly code: string }> {
  const bytes = crypto.getRandomValues(new Uint8Array(EXP_BYTES + RANDOM_BYTES));
  const exp = Math.floor(now / 1000) + lifetimeSeconds;
  new DataView(bytes.buffer).setUint32(0, exp);
  const body = encodeBase64url(bytes);
  const code = body + (await macOf(purposeOf(kind, owner), body, secrets.secret));
  return { code, id: await idOf(body), expiresAt: exp * 1000 };
}

export async function verifyFleetCode(
  kind: FleetCodeKind,
  owner: string,
  code: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<FleetCode>> {
  const body = code.slice(0, BODY_CHARS);
  const bytes = decodeBase64url(body, EXP_BYTES + RANDOM_BYTES);
  const isOurs = await isMacOf(code.slice(BODY_CHARS), purposeOf(kind, owner), body, secrets);
  if (bytes === null || !isOurs) return { ok: false, reason: 'invalid', why: WHY_INVALID[kind] };
  const expiresAt = new DataView(bytes.buffer).getUint32(0) * 1000;
  if (expiresAt <= now) return { ok: false, reason: 'expired', why: WHY_EXPIRED[kind] };
  return { ok: true, claims: { id: await idOf(body), expiresAt } };
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

/** Whoever reads the storage cannot use what is in it. */
async function idOf(body: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  return encodeBase64url(new Uint8Array(digest).subarray(0, RANDOM_BYTES));
}
