/** What the audit trail says of requests over HTTP: who sent them, and what was revoked. */
import type { Actor } from '../audit/audit-rules.ts';
import type { Caller } from '../gate/caller.ts';
import type { Revocation } from '../registry/revocation.ts';

export const callerActor = ({ credential: { name, tokenId }, role, client }: Caller): Actor => ({
  name: name ?? null,
  tokenId,
  role,
  client,
});

export const described = (revocation: Revocation): string =>
  'jti' in revocation ? `token ${revocation.jti}` : `before ${new Date(revocation.before).toISOString()}`;
