/**
 * Exchanges a token, a ticket or a link for the page cookie, renews the cookie, and logs out. Rule GT11.
 *
 * A stolen cookie is worth little: it is valid for minutes, only for our own page, and only as a cookie. A lasting
 * login needs a private key that no script in the page can read, and a renewal that is useless without that key.
 */
import type { Context } from 'hono';
import type { PageKey } from '../../protocol/page-login.ts';
import { type Claims, WORKSPACE_NAME } from '../../protocol/token.ts';
import { cookieName, setCookie } from '../gate/cookie.ts';
import { ownAddress } from '../gate/own-address.ts';
import { signChallenge, signPageCookie, signRenewal } from '../gate/own-credentials.ts';
import { gateSettings } from './env.ts';
import { type App, callWorkspace, failure, type Handler } from './http.ts';
import { loginKeyOf } from './login-key.ts';
import { openLink } from './share-links.ts';

export const login: Handler = async (c) => {
  const { kind, pageKey } = c.var.principal;
  const name = cookieNameOf(c);
  if (name === null) {
    return failure(
      c,
      400,
      'insecure',
      'Log in over https: over plain http, a login works on loopback only. Behind a proxy that terminates TLS, set RELAY_PUBLIC_URL.',
    );
  }
  // Does not wake the object. It checked the token at login, and checks it again whenever the cookie is used.
  if (kind === 'renewal') return letIn(c, name, c.var.principal.claims, pageKey);
  const key = await loginKeyOf(c);
  const claims = kind === 'share' ? await openLink(c) : await checkedClaims(c);
  return letIn(c, name, claims, key);
};

async function checkedClaims(c: Context<App>): Promise<Claims> {
  await callWorkspace(c, (object, caller) => object.checkCredential(caller));
  return c.var.principal.claims;
}

async function letIn(
  c: Context<App>,
  name: string,
  claims: Claims,
  key: PageKey | undefined,
): Promise<Response> {
  const { workspace } = c.var.principal;
  const { keys } = gateSettings(c.env);
  const { cookie, lifetimeSeconds } = await signPageCookie(claims, keys, Date.now());
  c.header('Set-Cookie', setCookie(name, cookie, lifetimeSeconds));
  return c.json({
    workspace,
    role: claims.role,
    /** When the login ends for good; the cookie expires earlier. */
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    cookieSeconds: lifetimeSeconds,
    // Signed again each time, so that a secret can be replaced while pages are open.
    ...(key === undefined ? {} : { renewal: await signRenewal(claims, key, keys) }),
  });
}

/** Public, and useless by itself: it only proves that a signature over it is at most a minute old. */
export const showChallenge: Handler = async (c) => {
  const workspace = c.req.param('ws') ?? '';
  if (!WORKSPACE_NAME.test(workspace))
    return failure(c, 404, 'not_found', 'This is not a valid workspace name.');
  return c.json({ challenge: await signChallenge(workspace, gateSettings(c.env).keys, Date.now()) });
};

export const logout: Handler = (c) => {
  const name = cookieNameOf(c);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};

function cookieNameOf(c: Context<App>): string | null {
  const { publicUrl } = gateSettings(c.env);
  return cookieName(ownAddress(c.req.url, publicUrl), c.var.principal.workspace);
}
