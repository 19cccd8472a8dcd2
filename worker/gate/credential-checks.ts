/** Checks each kind of credential in its own way. None is accepted in place of another. Rules GT2, GT7 and GT11. */
import type { ClientKind } from '../../protocol/audit.ts';
import { CLOCK_SKEW_MAX_S } from '../../protocol/limits.ts';
import type { PageKey } from '../../protocol/page-login.ts';
import { printable } from '../../protocol/printable.ts';
import type { Role } from '../../protocol/roles.ts';
import type { Claims } from '../../protocol/token.ts';
import { isUpgrade } from '../platform/is-upgrade.ts';
import type { RefusalReason } from './auth-failures.ts';
import type { Caller } from './caller.ts';
import { verifyDeviceCode } from './device-code.ts';
import { verifyFleetCode } from './fleet-code.ts';
import type { JwtVerdict } from './jwt.ts';
import { originOf } from './origins.ts';
import { ownAddress } from './own-address.ts';
import { verifyOwnerRenewal, verifyPageCookie, verifyRenewal, verifyTicket } from './own-credentials.ts';
import { NO_OWNER, verifyOwnerCookie, verifyOwnerProof } from './owner.ts';
import type { CredentialKind, GateSettings, Passage, Refused } from './passage.ts';
import { verifyShareCode } from './share-code.ts';
import { verifyToken } from './token.ts';

export const HOW_TO_GET_IN =
  'Open the link that `npm start` printed, or send a token as `Authorization: Bearer <token>`.';

const HOW_THE_OWNER_GETS_IN = 'Make another link with `holdfast link --owner`.';

/** `workspace` is the one in the path; empty if the route names none. */
type Check = (
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
  workspace: string,
) => Promise<Passage>;

export const CHECKS: Readonly<Record<CredentialKind, Check>> = {
  bearer: byToken,
  cookie: byCookie,
  ticket: byTicket,
  renewal: byRenewal,
  code: byCode,
  share: byShareLink,
  owner: byOwnerKey,
  owner_cookie: byOwnerCookie,
  owner_renewal: byOwnerRenewal,
  owner_link: (text, _, settings, now) => byFleetCode('owner_link', text, settings, now),
  invite: (text, _, settings, now) => byFleetCode('invite', text, settings, now),
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

/** As a ticket, for our own page on another device. [GT13] */
async function byCode(
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
  workspace: string,
): Promise<Passage> {
  const verdict = await verifyDeviceCode(text, workspace, settings.keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} Ask for another one.`);
  if (originOf(request, settings).kind !== 'own')
    return refuse(403, 'origin', "This code is for the relay's own page.");
  const { token, role, exp, jti } = verdict.claims;
  const ticket = { id: jti, expiresAt: exp * 1000 };
  return letIn('code', { ...token, role }, { isPage: true, client: 'page', ticket });
}

/** What the link is for, and whether it was revoked, is known to the object. Until that has said so, it is a viewer's. [SL1] */
async function byShareLink(
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
  ws: string,
): Promise<Passage> {
  const verdict = await verifyShareCode(text, ws, settings.keys, now);
  if (!verdict.ok) return refused(verdict);
  if (originOf(request, settings).kind !== 'own')
    return refuse(403, 'origin', "This link is for the relay's own page.");
  const { id, expiresAt } = verdict.claims;
  const claims: Claims = { ws, role: 'viewer', exp: expiresAt / 1000, iat: Math.floor(now / 1000), jti: id };
  return letIn('share', claims, { isPage: true, client: 'page' });
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

// ── The owner ──────────────────────────────────────────────────────────────────────────────────────

async function byOwnerKey(
  text: string,
  request: Request,
  { owner, publicUrl }: GateSettings,
  now: number,
  workspace: string,
): Promise<Passage> {
  if (owner === null) return refuse(401, 'invalid', NO_OWNER);
  const { origin } = ownAddress(request.url, publicUrl);
  const verdict = await verifyOwnerProof(text, owner, origin, now);
  return verdict.ok ? ownerPassage('owner', workspace, verdict.claims.exp, now) : refused(verdict);
}

async function byOwnerCookie(
  text: string,
  _: Request,
  { keys, owner }: GateSettings,
  now: number,
  workspace: string,
): Promise<Passage> {
  if (owner === null) return refuse(401, 'invalid', NO_OWNER);
  const verdict = await verifyOwnerCookie(text, owner, keys, now);
  return verdict.ok ? ownerPassage('owner_cookie', workspace, verdict.claims.exp, now) : refused(verdict);
}

/** The page proves the key that its login named: a stolen cookie renews nothing. [FL7] */
async function byOwnerRenewal(
  text: string,
  request: Request,
  settings: GateSettings,
  now: number,
): Promise<Passage> {
  const { keys, owner } = settings;
  if (owner === null) return refuse(401, 'invalid', NO_OWNER);
  if (originOf(request, settings).kind !== 'own')
    return refuse(403, 'origin', "A login can be renewed only by the relay's own page.");
  const verdict = await verifyOwnerRenewal(text, owner, keys, now);
  if (!verdict.ok) return refuse(401, verdict.reason, `${verdict.why} ${HOW_THE_OWNER_GETS_IN}`);
  const { exp, cnf } = verdict.claims;
  const { principal } = ownerPassage('owner_renewal', '', exp, now);
  return { ok: true, principal: { ...principal, pageKey: cnf.jwk } };
}

/** The fleet's object enforces that it is used once. */
async function byFleetCode(
  kind: 'owner_link' | 'invite',
  text: string,
  { keys, owner }: GateSettings,
  now: number,
): Promise<Passage> {
  if (owner === null) return refuse(401, 'invalid', NO_OWNER);
  const verdict = await verifyFleetCode(kind === 'invite' ? 'invite' : 'owner link', owner, text, keys, now);
  if (!verdict.ok) return refused(verdict);
  const { principal } = ownerPassage(kind, '', verdict.claims.expiresAt / 1000, now);
  return { ok: true, principal: { ...principal, fleetCode: verdict.claims } };
}

const refused = ({ reason, why }: Extract<JwtVerdict<never>, { ok: false }>) => refuse(401, reason, why);

/**
 * In a workspace, the owner does what an operator may. No revocation of the workspace applies to the owner: the id is
 * shorter than any token's, and the credential counts as new.
 */
function ownerPassage(
  kind: CredentialKind,
  ws: string,
  exp: number,
  now: number,
): Extract<Passage, { ok: true }> {
  const claims: Claims = { ws, role: 'operator', exp, jti: 'owner' };
  // A revocation by time may lie a little ahead.
  const issuedAt = now + CLOCK_SKEW_MAX_S * 1000;
  const credential = { tokenId: 'owner', issuedAt, expiresAt: exp * 1000, name: 'owner' };
  const caller: Caller = { role: 'operator', credential, isPage: kind !== 'owner', client: 'api' };
  return { ok: true, principal: { workspace: ws, claims, caller, kind } };
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
  const scope = claims.session === undefined ? {} : { session: claims.session };
  const caller = { role: claims.role, credential, ...scope, ...more };
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
