/**
 * How the Worker tells the object who is calling. The object trusts this header because nobody but the
 * Worker can reach it, and upgrade.ts builds the request anew: a header from outside never gets here.
 */
import type { Role } from '../protocol/messages.ts';
import type { Principal } from './gate.ts';

const HEADER = 'X-Holdfast-Principal';

export type PassedPrincipal = Pick<Principal, 'role' | 'tokenId' | 'expiresAt'>;

export function passPrincipal({ role, tokenId, expiresAt }: Principal): Record<string, string> {
  return { [HEADER]: JSON.stringify({ role, tokenId, expiresAt }) };
}

export function readPrincipal(request: Request): PassedPrincipal {
  const header = request.headers.get(HEADER);
  if (header === null) throw new Error('invariant: a request reached the workspace around the gate');
  return JSON.parse(header) as { role: Role; tokenId: string; expiresAt: number };
}
