/**
 * Codes of 128 random bits with their expiry and a check value, for credentials of which an object keeps what they are
 * for. The check value lets the gate refuse others without waking that object.
 */
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts';
import type { Secrets } from './jwt.ts';
import { isMacOf, macOf } from './secret-mac.ts';

const RANDOM_BYTES = 16;
const EXP_BYTES = 4;
const BODY_CHARS = 27;

export interface TimedCode {
  /** The name under which the object keeps it; the code itself is not stored. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** `purpose` keeps a code from being accepted for anything else. */
export async function makeTimedCode(
  purpose: string,
  lifetimeSeconds: number,
  secrets: Secrets,
  now: number,
): Promise<TimedCode & { readonly code: string }> {
  const bytes = crypto.getRandomValues(new Uint8Array(EXP_BYTES + RANDOM_BYTES));
  const exp = Math.floor(now / 1000) + lifetimeSeconds;
  new DataView(bytes.buffer).setUint32(0, exp);
  const body = encodeBase64url(bytes);
  const code = body + (await macOf(purpose, body, secrets.secret));
  return { code, id: await idOf(body), expiresAt: exp * 1000 };
}

/** Null for a code that was not made here for this purpose. The caller checks when it expires. */
export async function readTimedCode(
  purpose: string,
  code: string,
  secrets: Secrets,
): Promise<TimedCode | null> {
  const body = code.slice(0, BODY_CHARS);
  const bytes = decodeBase64url(body, EXP_BYTES + RANDOM_BYTES);
  const isOurs = await isMacOf(code.slice(BODY_CHARS), purpose, body, secrets);
  if (bytes === null || !isOurs) return null;
  return { id: await idOf(body), expiresAt: new DataView(bytes.buffer).getUint32(0) * 1000 };
}

/** Whoever reads the storage cannot use what is in it. */
async function idOf(body: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  return encodeBase64url(new Uint8Array(digest).subarray(0, RANDOM_BYTES));
}
