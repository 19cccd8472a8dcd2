/**
 * Makes a code with which another browser logs in, once and within a minute. It is proven with the key of this page's
 * login: a stolen cookie must not become a lasting login elsewhere.
 */
import { DEVICE_CODE_LIFETIME_S } from '../../../protocol/limits.ts';
import { readCode } from '../../../protocol/owner-answers.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { linkOfCode } from './address.ts';
import { answerSentence, firstSentence, UNREACHABLE } from './answer-sentence.ts';
import { askInTime, loginProof } from './login-proof.ts';
import { loginStore } from './login-store.ts';
import { loginAddress } from './open-login.ts';

export type DeviceCode =
  /** `endsAt`: wall clock time in ms. */
  | { readonly name: 'made'; readonly link: string; readonly endsAt: number }
  /** This browser has stored no key, so nothing can be proven. */
  | { readonly name: 'no-key' }
  | { readonly name: 'failed'; readonly sentence: string };

/**
 * How long the relay accepts a code. It is counted here from before the request, because the relay's own time may differ
 * from that of this computer by more than that.
 */
const CODE_LIFETIME_MS = DEVICE_CODE_LIFETIME_S * 1000;

/** Never throws. */
export async function makeDeviceCode(relay: URL, workspace: string, role: ClientRole): Promise<DeviceCode> {
  const stored = await loginStore(workspace).read();
  if (stored === null) return { name: 'no-key' };
  try {
    const headers = { Authorization: await loginProof(loginAddress(relay, workspace), stored) };
    const askedAt = Date.now();
    const answer = await askInTime(new URL(`/api/workspaces/${workspace}/device-codes`, relay), {
      method: 'POST',
      headers,
      body: JSON.stringify({ role }),
    });
    if (!answer.ok) return { name: 'failed', sentence: firstSentence(await answerSentence(answer)) };
    const code = readCode(await answer.json());
    if (code === null) return { name: 'failed', sentence: UNREACHABLE };
    return { name: 'made', link: linkOfCode(relay, workspace, code), endsAt: askedAt + CODE_LIFETIME_MS };
  } catch {
    return { name: 'failed', sentence: UNREACHABLE };
  }
}

/** Whether only this machine can open addresses of this host. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
