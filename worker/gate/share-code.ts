/**
 * The codes in share links. A code is accepted as often as it is used until it expires; what it is for, and whether it
 * was revoked, is kept by the workspace's object. Rule SL1.
 */
import { linkIdOf } from '../../protocol/token.ts';
import type { JwtVerdict, Secrets } from './jwt.ts';
import { makeTimedCode, readTimedCode, type TimedCode } from './timed-code.ts';

/** The id is that of every credential for which the link is traded. */
export async function makeShareCode(
  workspace: string,
  lifetimeSeconds: number,
  secrets: Secrets,
  now: number,
): Promise<TimedCode & { readonly code: string }> {
  const made = await makeTimedCode(purposeOf(workspace), lifetimeSeconds, secrets, now);
  return { ...made, id: linkIdOf(made.id) };
}

export async function verifyShareCode(
  code: string,
  workspace: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<TimedCode>> {
  const read = await readTimedCode(purposeOf(workspace), code, secrets);
  if (read === null) return { ok: false, reason: 'invalid', why: NOT_OURS };
  if (read.expiresAt <= now) return { ok: false, reason: 'expired', why: 'This link has expired.' };
  return { ok: true, claims: { ...read, id: linkIdOf(read.id) } };
}

const NOT_OURS = 'This link is not of this relay and workspace, or was not copied completely.';

const purposeOf = (workspace: string) => `share link ${workspace}`;
