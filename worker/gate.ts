/**
 * The one gate. Every route passes here first, is denied unless its access says otherwise, and what is
 * refused wakes no workspace. Rules GT1 to GT5.
 */

import type { Role } from '../protocol/messages.ts';
import { WORKSPACE_NAME } from '../protocol/token.ts';
import { cookieName, readCookie } from './cookie.ts';
import { verifyToken } from './token.ts';

/** Who a request comes from, once the gate has let it in. */
export interface Principal {
  readonly workspace: string;
  readonly role: Role;
  readonly tokenId: string;
  readonly expiresAt: number;
  /** The token itself, for `login` to put into the cookie. Goes nowhere else. */
  readonly token: string;
}

/** A route is for everybody, or for these roles of the workspace in its path. */
export type Access = 'public' | { readonly roles: readonly Role[]; readonly credential?: 'bearer' };

export type Passage =
  | { readonly ok: true; readonly principal: Principal }
  | { readonly ok: false; readonly status: 401 | 403 | 404; readonly message: string };

const HOW_TO_GET_IN =
  'Open the link that `npm start` printed, or send a token as `Authorization: Bearer <token>`.';

export async function admit(
  request: Request,
  workspace: string,
  access: Exclude<Access, 'public'>,
  secret: string,
): Promise<Passage> {
  if (!WORKSPACE_NAME.test(workspace)) return refuse(404, 'No workspace can have this name.');
  const found = credentialOf(request, workspace, access.credential === 'bearer');
  if (!found.ok) return found;
  const verdict = await verifyToken(found.token, secret);
  if (!verdict.ok) return refuse(401, `${verdict.why} ${HOW_TO_GET_IN}`);
  const { ws, role, jti, exp } = verdict.claims;
  // The workspace comes from the credential; the path may only agree with it. [GT3]
  if (ws !== workspace) return refuse(403, 'This token is for another workspace.');
  if (!access.roles.includes(role)) return refuse(403, `The role ${role} may not do this.`);
  return {
    ok: true,
    principal: { workspace: ws, role, tokenId: jti, expiresAt: exp * 1000, token: found.token },
  };
}

type Found =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly status: 401 | 403; readonly message: string };

function credentialOf(request: Request, workspace: string, bearerOnly: boolean): Found {
  const [scheme, bearer] = (request.headers.get('Authorization') ?? '').split(' ');
  if (scheme?.toLowerCase() === 'bearer' && bearer) return { ok: true, token: bearer };
  if (bearerOnly) return refuse(401, `A bearer token is required. ${HOW_TO_GET_IN}`);
  const name = cookieName(new URL(request.url), workspace);
  const cookie = name === null ? null : readCookie(request.headers.get('Cookie'), name);
  if (cookie === null) return refuse(401, `No credential was sent. ${HOW_TO_GET_IN}`);
  if (!isSameOrigin(request)) return refuse(403, 'A cookie counts only for requests of our own page.');
  return { ok: true, token: cookie };
}

/**
 * A browser sends the cookie along with whatever any page asks for, so the cookie alone proves nothing. [GT4]
 * Sockets and every change must name our exact origin; a GET may show that it is same-origin instead.
 */
function isSameOrigin(request: Request): boolean {
  if (request.headers.get('Origin') === new URL(request.url).origin) return true;
  const changesNothing = request.method === 'GET' && !isUpgrade(request);
  return changesNothing && request.headers.get('Sec-Fetch-Site') === 'same-origin';
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
}

function refuse<S extends 401 | 403 | 404>(status: S, message: string) {
  return { ok: false as const, status, message };
}
