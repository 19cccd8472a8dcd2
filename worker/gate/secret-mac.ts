/**
 * Short check values made with the relay's secret, for credentials that must fit on one line or in a small QR code,
 * where a JWT does not. As with JWTs, the current secret makes them and the previous one still verifies. [GT10]
 */
import { isSameText } from '../../protocol/agent-key.ts';
import { encodeBase64url } from '../../protocol/base64url.ts';
import type { Secrets } from './jwt.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** 96 bits: guessing one takes 2^95 requests, and none lives for more than a month. */
const MAC_BYTES = 12;

/** `purpose` keeps a check value from being accepted for anything else. */
export async function macOf(purpose: string, text: string, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', utf8(secret), HMAC, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, utf8(`holdfast ${purpose}\n${text}`));
  return encodeBase64url(new Uint8Array(mac).subarray(0, MAC_BYTES));
}

export async function isMacOf(
  mac: string,
  purpose: string,
  text: string,
  { secret, previousSecret }: Secrets,
): Promise<boolean> {
  for (const one of [secret, previousSecret]) {
    if (one && isSameText(mac, await macOf(purpose, text, one))) return true;
  }
  return false;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
