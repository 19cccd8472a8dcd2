/**
 * The one gate. Every route passes here first, is denied unless its access says otherwise, and what is
 * refused wakes no workspace. Rules GT1 to GT7.
 */
import type { ClientKind } from '../protocol/audit.ts';
import type { Role } from '../protocol/messages.ts';
import { printable } from '../protocol/terminal/printable.ts';
import { type Claims, WORKSPACE_NAME } from '../protocol/token.ts';
import { ticketIn } from '../protocol/version.ts';
import type { Caller } from './caller.ts';
import { cookieName, readCookie } from './cookie.ts';
import { type OriginSettings, originOf } from './origins.ts';
import { ownAddress } from './own-address.ts';
import { type Keys, verifyTicket, verifyToken } from './token.ts';

export type CredentialKind = 'bearer' | 'cookie' | 'ticket';

/** Who a request comes from, once the gate has let it in. */
export interface Principal {
  readonly workspace: string;
  /** What the token says; with a ticket, of the token it was bought with, in the role of the ticket. */
  readonly claims: Claims;
  readonly caller: Caller;
  /** The token itself, for `login` to put into the cookie; null for a ticket. Goes nowhere else. */
  readonly token: string | null;
}

/** A route is for everybody, or for these roles of the workspace in its path, shown in one of these ways. */
export type Access =
  | 'public'
  | { readonly roles: readonly Role[]; readonly credentials: readonly CredentialKind[] };

export type Passage =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly status: 401 | 403 | 404; readonly message: string };

export interface GateSettings extends OriginSettings {
  readonly keys: Keys;
}

const HOW_TO_GET_IN =
  'Open the link that `npm start` printed, or send a token as `Authorization: Bearer <token>`.';

export async function admit(
  request: Request,
  workspace: string,
  access: Exclude<Access, 'public'>,
  settings: GateSettings,
): Promise<Passage> {
  if (!WORKSPACE_NAME.test(workspace)) return refuse(404, 'No workspace can have this name.');
  // A page we do not know gets nowhere, whatever it has got hold of. [GT6]
  if (originOf(request, settings).kind === 'foreign') {
    return refuse(403, 'Pages of this origin may not use this relay; RELAY_ORIGINS lists those that may.');
  }
  const found = credentialIn(request, workspace, access.credentials, settings.publicUrl);
  if (!found.ok) return found;
  const shown = await (found.kind === 'ticket' ? byTicket : byToken)(found, request, settings);
  if (!shown.ok) return shown;
  const { claims } = shown.principal;
  // The workspace comes from the credential; the path may only agree with it. [GT3]
  if (claims.ws !== workspace) return refuse(403, 'This token is for another workspace.');
  if (!access.roles.includes(claims.role)) return refuse(403, `The role ${claims.role} may not do this.`);
  return shown;
}

// ── Finding the credential ─────────────────────────────────────────────────────────────────────────

interface Found {
  readonly ok: true;
  readonly kind: CredentialKind;
  readonly text: string;
}

type Refused = Extract<Passage, { ok: false }>;

function credentialIn(
  request: Request,
  workspace: string,
  accepted: readonly CredentialKind[],
  publicUrl: URL | null,
): Found | Refused {
  const [scheme = '', text] = (request.headers.get('Authorization') ?? '').split(' ');
  const kind = scheme.toLowerCase();
  if (text && (kind === 'bearer' || kind === 'ticket')) {
    return accepted.includes(kind) ? { ok: true, kind, text } : unwelcome(kind);
  }
  const ticket = ticketIn(request.headers.get('Sec-WebSocket-Protocol'));
  if (ticket !== null && isUpgrade(request)) {
    return accepted.includes('ticket') ? { ok: true, kind: 'ticket', text: ticket } : unwelcome('ticket');
  }
  const own = ownAddress(request.url, publicUrl);
  const name = cookieName(own, workspace);
  const cookie = name === null ? null : readCookie(request.headers.get('Cookie'), name);
  if (cookie === null) return refuse(401, `No credential was sent. ${HOW_TO_GET_IN}`);
  if (!accepted.includes('cookie')) return unwelcome('cookie');
  if (!isSameOrigin(request, own.origin))
    return refuse(403, 'A cookie counts only for requests of our own page.');
  return { ok: true, kind: 'cookie', text: cookie };
}

const unwelcome = (kind: CredentialKind) => refuse(401, `A ${kind} is not taken here. ${HOW_TO_GET_IN}`);

/**
 * A browser sends the cookie along with whatever any page asks for, so the cookie alone proves nothing. [GT4]
 * Sockets and every change must name our exact origin; a GET may show that it is same-origin instead.
 */
function isSameOrigin(request: Request, own: string): boolean {
  if (request.headers.get('Origin') === own) return true;
  const changesNothing = request.method === 'GET' && !isUpgrade(request);
  return changesNothing && request.headers.get('Sec-Fetch-Site') === 'same-origin';
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
}

// ── Checking it ────────────────────────────────────────────────────────────────────────────────────

async function byToken(found: Found, request: Request, { keys }: GateSettings): Promise<Passage> {
  const verdict = await verifyToken(found.text, keys);
  if (!verdict.ok) return refuse(401, `${verdict.why} ${HOW_TO_GET_IN}`);
  const isPage = found.kind === 'cookie';
  const client = isPage ? 'page' : clientKindOf(request, verdict.claims.role);
  return { ok: true, principal: principalOf(verdict.claims, { isPage, client }, found.text) };
}

/** A ticket counts for the page it was made for; that it counts once only, the object sees to. [GT7] */
async function byTicket(found: Found, request: Request, settings: GateSettings): Promise<Passage> {
  const verdict = await verifyTicket(found.text, settings.keys);
  if (!verdict.ok) return refuse(401, `${verdict.why.replace('token', 'ticket')} Ask for another one.`);
  const { token, role, origin, exp, jti } = verdict.claims;
  const asking = originOf(request, settings);
  if (!('origin' in asking) || asking.origin !== origin) {
    return refuse(403, 'This ticket is for a page of another origin.');
  }
  const ticket = { id: jti, expiresAt: exp * 1000 };
  return {
    ok: true,
    principal: principalOf({ ...token, role }, { isPage: true, client: 'page', ticket }, null),
  };
}

function principalOf(
  claims: Claims,
  more: Pick<Caller, 'isPage' | 'client' | 'ticket'>,
  token: string | null,
): Principal {
  const credential = {
    tokenId: claims.jti,
    issuedAt: (claims.iat ?? 0) * 1000,
    expiresAt: claims.exp * 1000,
    ...nameOf(claims),
  };
  return { workspace: claims.ws, claims, caller: { role: claims.role, credential, ...more }, token };
}

/** A name is text for people: printable, or absent. */
function nameOf({ sub = '' }: Claims): { readonly name?: string } {
  const name = printable(sub);
  return name === '' ? {} : { name };
}

/** What brought a token. The command line says so itself in the address; that is a label and grants nothing. */
function clientKindOf(request: Request, role: Role): ClientKind {
  if (role === 'agent') return 'agent';
  if (!isUpgrade(request)) return 'api';
  return new URL(request.url).searchParams.get('client') === 'cli' ? 'cli' : 'client';
}

function refuse<S extends 401 | 403 | 404>(status: S, message: string) {
  return { ok: false as const, status, message };
}
