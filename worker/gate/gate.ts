/**
 * The gate authenticates every request before a handler sees it. A route is denied unless its access rule allows the
 * caller, and a refused request wakes no workspace. Rules GT1 to GT12.
 */

import type { Role } from '../../protocol/roles.ts';
import { type Claims, isGuest, WORKSPACE_NAME } from '../../protocol/token.ts';
import { ticketIn } from '../../protocol/version.ts';
import { isUpgrade } from '../platform/is-upgrade.ts';
import type { AuthFailures } from './auth-failures.ts';
import { authSource } from './auth-source.ts';
import { cookieName, readCookies } from './cookie.ts';
import { CHECKS, HOW_TO_GET_IN, refuse } from './credential-checks.ts';
import { originOf } from './origins.ts';
import { ownAddress } from './own-address.ts';
import { ownerCookieName } from './owner.ts';
import type { Access, CredentialKind, GateSettings, Passage, Refused } from './passage.ts';

export async function admit(
  request: Request,
  workspace: string,
  access: Exclude<Access, 'public'>,
  settings: GateSettings,
  failures: AuthFailures,
  now = Date.now(),
): Promise<Passage> {
  const isNamed = !('workspace' in access);
  if (isNamed && !WORKSPACE_NAME.test(workspace))
    return refuse(404, null, 'This is not a valid workspace name.');
  // An unknown origin is refused, whatever credential it has. [GT6]
  if (originOf(request, settings).kind === 'foreign') {
    return refuse(
      403,
      'origin',
      'Pages of this origin may not use this relay; RELAY_ORIGINS lists those that may.',
    );
  }
  const found = credentialIn(request, workspace, access.credentials, settings);
  if (!found.ok) return found;
  const shown = await check(found, request, settings, now, isNamed ? workspace : '');
  if (!shown.ok) return slowed(shown, failures.failed(authSource(request, found.texts[0]), now));
  const { claims, kind } = shown.principal;
  // The credential determines the workspace; a path that names one must match it. [GT3]
  if (isNamed && claims.ws !== workspace)
    return refuse(403, 'workspace', 'This token is for another workspace.');
  // The route itself names the kinds of credential that have no role.
  if (WITH_ROLE.has(kind) && !(access.roles as readonly Role[]).includes(claims.role))
    return refuse(403, 'role', `The role ${claims.role} may not do this.`);
  if (WITH_ROLE.has(kind) && isGuest(claims) && !isForGuest(access, claims))
    return refuse(403, 'role', NOT_FOR_GUESTS);
  return shown;
}

/** Denied unless the route says otherwise. [SL2] */
function isForGuest({ guests }: Exclude<Access, 'public'>, { session }: Claims): boolean {
  return session === undefined ? guests !== undefined : guests === 'also with one session';
}

const NOT_FOR_GUESTS = 'Whoever came by a share link, or has a token for one session, may not do this.';

/** Of several, the first that is valid counts; if none is, the refusal of the first. */
async function check(
  { kind, texts: [first, ...others] }: Found,
  request: Request,
  settings: GateSettings,
  now: number,
  workspace: string,
): Promise<Passage> {
  const shown = await CHECKS[kind](first, request, settings, now, workspace);
  if (shown.ok) return shown;
  for (const text of others) {
    const other = await CHECKS[kind](text, request, settings, now, workspace);
    if (other.ok) return other;
  }
  return shown;
}

function slowed(refused: Refused, waitMs: number): Refused {
  return waitMs > 0 ? tooMany(waitMs) : refused;
}

function tooMany(retryAfterMs: number): Refused {
  const message = 'Too many invalid credentials were sent. Wait, then try again with a valid one.';
  return { ok: false, status: 429, reason: 'too_many', message, retryAfterMs };
}

// ── Finding the credential ─────────────────────────────────────────────────────────────────────────

interface Found {
  readonly ok: true;
  readonly kind: CredentialKind;
  /** One, except for cookies. */
  readonly texts: readonly [string, ...string[]];
}

/** By the scheme of the `Authorization` header, in lower case. */
const SCHEMES: Readonly<Record<string, CredentialKind>> = {
  bearer: 'bearer',
  ticket: 'ticket',
  renewal: 'renewal',
  code: 'code',
  share: 'share',
  owner: 'owner',
  invite: 'invite',
  link: 'owner_link',
  'owner-renewal': 'owner_renewal',
};

const WITH_ROLE: ReadonlySet<CredentialKind> = new Set(['bearer', 'cookie', 'ticket', 'renewal', 'code']);

function credentialIn(
  request: Request,
  workspace: string,
  accepted: readonly CredentialKind[],
  settings: GateSettings,
): Found | Refused {
  const [scheme = '', text] = (request.headers.get('Authorization') ?? '').split(' ');
  const kind = Object.hasOwn(SCHEMES, scheme.toLowerCase()) ? SCHEMES[scheme.toLowerCase()] : undefined;
  if (text && kind !== undefined) {
    return accepted.includes(kind) ? { ok: true, kind, texts: [text] } : unwelcome(kind);
  }
  const ticket = ticketIn(request.headers.get('Sec-WebSocket-Protocol'));
  if (ticket !== null && isUpgrade(request)) {
    return accepted.includes('ticket') ? { ok: true, kind: 'ticket', texts: [ticket] } : unwelcome('ticket');
  }
  return cookieIn(request, workspace, accepted, settings);
}

/** The cookie of the workspace comes before the owner's: a person in both acts as what the page shows. */
function cookieIn(
  request: Request,
  workspace: string,
  accepted: readonly CredentialKind[],
  { publicUrl }: GateSettings,
): Found | Refused {
  const own = ownAddress(request.url, publicUrl);
  const sent = (name: string | null) =>
    name === null ? [] : readCookies(request.headers.get('Cookie'), name);
  const ofPage = workspace === '' ? [] : sent(cookieName(own, workspace));
  const ofOwner = accepted.includes('owner_cookie') ? sent(ownerCookieName(own)) : [];
  const kind = ofPage.length > 0 ? 'cookie' : 'owner_cookie';
  const [cookie, ...others] = [...ofPage, ...(kind === 'cookie' ? [] : ofOwner)];
  if (cookie === undefined) return refuse(401, 'missing', `No credential was sent. ${HOW_TO_GET_IN}`);
  if (!accepted.includes(kind)) return unwelcome(kind);
  if (!isSameOrigin(request, own.origin))
    return refuse(403, 'origin', "The cookie is accepted only from the relay's own page.");
  return { ok: true, kind, texts: [cookie, ...others] };
}

const unwelcome = (kind: CredentialKind) =>
  refuse(401, 'kind', `A credential of the kind “${kind}” is not accepted here. ${HOW_TO_GET_IN}`);

/**
 * A browser attaches the cookie to requests from any page, so the cookie alone proves nothing. [GT4] Sockets and all
 * changes must send our exact origin; a GET may prove that it is same-origin instead.
 */
function isSameOrigin(request: Request, own: string): boolean {
  if (request.headers.get('Origin') === own) return true;
  const changesNothing = request.method === 'GET' && !isUpgrade(request);
  return changesNothing && request.headers.get('Sec-Fetch-Site') === 'same-origin';
}
