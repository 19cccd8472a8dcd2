/** Posts a push to the service of a browser: the only request that the relay makes. */
import { PUSH_KEPT_S } from '../../protocol/limits.ts';
import type { PushNote } from '../../protocol/messages/push-note.ts';
import { encryptPush, type PushKeys } from './push-encryption.ts';
import { type PushAnswer, retryAfterMs } from './push-rules.ts';
import { type VapidKey, vapidHeader } from './vapid.ts';

export interface Push {
  readonly endpoint: URL;
  readonly keys: PushKeys;
  readonly note: PushNote;
  readonly sender: VapidKey;
  /** How the service can reach the relay's owner. */
  readonly subject: string | null;
}

/** Null when it was given up by `signal`, or there was no answer. Never rejects. */
export type PostPush = (push: Push, now: number, signal: AbortSignal) => Promise<PushAnswer | null>;

/** Keys that are none were stored by nobody we know. */
const UNUSABLE: PushAnswer = { status: 410, retryAfterMs: null };

export const postPush: PostPush = async ({ endpoint, keys, note, sender, subject }, now, signal) => {
  try {
    const body = await encryptPush(new TextEncoder().encode(JSON.stringify(note)), keys);
    if (body === null) return UNUSABLE;
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        Authorization: await vapidHeader(sender, endpoint, subject, now),
        'Content-Encoding': 'aes128gcm',
        'Content-Type': 'application/octet-stream',
        TTL: String(PUSH_KEPT_S),
        Urgency: note.state === 'asks' ? 'high' : 'normal',
        // Of several that wait for a phone that is off, only the last is of interest.
        Topic: await topicOf(note.session),
      },
      body,
      // Whatever it redirects to was not checked.
      redirect: 'manual',
      signal,
    });
    // Nothing in it is of use, and it may be endless.
    response.body?.cancel().catch(() => {});
    return { status: response.status, retryAfterMs: retryAfterMs(response.headers.get('Retry-After')) };
  } catch {
    return null;
  }
};

/** 32 characters at most, of which the service learns that two pushes are of the same session. */
async function topicOf(session: string): Promise<string> {
  return (await shortDigest(session)).slice(0, 32);
}

/** The SHA-256 of a text, as base64url. */
export async function shortDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
