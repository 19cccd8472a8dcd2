/** Checks each kind of credential in its own way. None is accepted in place of another. Rules GT2, GT7 and GT11. */
import type { ClientKind } from '../../protocol/audit.ts';
import type { PageKey } from '../../protocol/page-login.ts';
import { printable } from '../../protocol/printable.ts';
import type { Role } from '../../protocol/roles.ts';
import type { Claims } from '../../protocol/token.ts';
import { isUpgrade } from '../platform/is-upgrade.ts';
import type { RefusalReason } from './auth-failures.ts';
import type { Caller } from './caller.ts';
import { originOf } from './origins.ts';
import { verifyPageCookie, verifyRenewal, verifyTicket } from './own-credentials.ts';
import type { CredentialKind, GateSettings, Passage, Refused } from './passage.ts';
import { verifyToken } from './token.ts';

export const HOW_TO_GET_IN =
  'Open the link that `npm start` printed, or send a token as `Authorization: Bearer <token>`.';

type Check = (text: string, request: Request, settings: GateSettings, now: number) => Promise<Passage>;

export const CHECKS: Readonly<Record<CredentialKind, Check>> = {
  bearer: byToken,
  cookie: byCookie,
  ticket: byTicket,
  renewal: byRenewal,
};

async function byToken(
  text: string,
  request: Request,
  { keys }: GateSettings,
  now: number,
): Promise<Passage> {
  const verdict = await verifyToken(text, keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} ${HOW_TO_GET_IN}`);
  const client = clientKindOf(request, verdict.claims.role);
  return letIn('bearer', verdict.claims, { isPage: false, client });
}

async function byCookie(text: string, _: Request, { keys }: GateSettings, now: number): Promise<Passage> {
  const verdict = await verifyPageCookie(text, keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} ${HOW_TO_GET_IN}`);
  return letIn('cookie', verdict.claims.token, { isPage: true, client: 'page' });
}

/** A ticket is valid only for the page's origin it was made for. The object enforces that it is used once. [GT7] */
async function byTicket(
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
): Promise<Passage> {
  const verdict = await verifyTicket(text, settings.keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} Ask for another one.`);
  const { token, role, origin, exp, jti } = verdict.claims;
  const asking = originOf(request, settings);
  if (!('origin' in asking) || asking.origin !== origin) {
    return refuse(403, 'origin', 'This ticket is for a page of another origin.');
  }
  const ticket = { id: jti, expiresAt: exp * 1000 };
  return letIn('ticket', { ...token, role }, { isPage: true, client: 'page', ticket });
}

/** Renewing does not check for revocation. The object does that when the new cookie is used. [GT11] */
async function byRenewal(
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
): Promise<Passage> {
  if (originOf(request, settings).kind !== 'own')
    return refuse(403, 'origin', "A login can be renewed only by the relay's own page.");
  const verdict = await verifyRenewal(text, settings.keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} ${HOW_TO_GET_IN}`);
  const { token, cnf } = verdict.claims;
  return letIn('renewal', token, { isPage: true, client: 'page' }, cnf.jwk);
}

function letIn(
  kind: CredentialKind,
  claims: Claims,
  more: Pick<Caller, 'isPage' | 'client' | 'ticket'>,
  pageKey?: PageKey,
): Passage {
  const credential = {
    tokenId: claims.jti,
    issuedAt: (claims.iat ?? 0) * 1000,
    expiresAt: claims.exp * 1000,
    ...nameOf(claims),
  };
  const caller = { role: claims.role, credential, ...more };
  const principal = { workspace: claims.ws, claims, caller, kind };
  return { ok: true, principal: pageKey === undefined ? principal : { ...principal, pageKey } };
}

/** The name is text for people: printable, or absent. */
function nameOf({ sub = '' }: Claims): { readonly name?: string } {
  const name = printable(sub);
  return name === '' ? {} : { name };
}

/**
 * What kind of program sent the token. The command line says so itself in the URL; this is a label and grants nothing.
 */
function clientKindOf(request: Request, role: Role): ClientKind {
  if (role === 'agent') return 'agent';
  if (!isUpgrade(request)) return 'api';
  return new URL(request.url).searchParams.get('client') === 'cli' ? 'cli' : 'client';
}

export function refuse(status: 401 | 403 | 404, reason: RefusalReason | null, message: string): Refused {
  return { ok: false, status, reason, message };
}
