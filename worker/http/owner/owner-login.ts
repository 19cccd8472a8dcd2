/**
 * How the owner logs in: the key buys a link, the link works once and buys the owner's cookie, which a page renews that
 * has sent a key with its login. Rules GT14 and FL7.
 */
import type { Context } from 'hono';
import { FLEET_CODES_MAX, OWNER_LINK_LIFETIME_S, OWNER_LOGIN_MAX_S } from '../../../protocol/limits.ts';
import type { PageKey } from '../../../protocol/page-login.ts';
import { setCookie } from '../../gate/cookie.ts';
import { makeFleetCode } from '../../gate/fleet-code.ts';
import { ownAddress } from '../../gate/own-address.ts';
import { OWNER_CHALLENGE, signChallenge, signOwnerRenewal } from '../../gate/own-credentials.ts';
import { ownerCookieName, signOwnerCookie } from '../../gate/owner.ts';
import { ApiError } from '../api-error.ts';
import { gateSettings } from '../env.ts';
import { type App, failure, type Handler } from '../http.ts';
import { loginKeyOf } from '../login-key.ts';
import { fleetCodeOf, fleetOf } from './fleet-object.ts';

/** A cookie cannot buy a link: whoever steals one could make it last. */
export const makeOwnerLink: Handler = async (c) => {
  const { fleet, owner } = fleetOf(c);
  const { keys } = gateSettings(c.env);
  const made = await makeFleetCode('owner link', owner, OWNER_LINK_LIFETIME_S, keys, Date.now());
  const { code, id, expiresAt } = made;
  const link = { id, kind: 'owner link', machine: null, expiresAt } as const;
  if (!(await fleet.keepCode(link, FLEET_CODES_MAX))) throw tooManyCodes();
  return c.json({ code, expiresAt: new Date(expiresAt).toISOString() }, 201);
};

export const tooManyCodes = () =>
  new ApiError(
    429,
    'too_many_codes',
    'Too many invites and links wait to be used. Use them, or wait until they expire.',
  );

/** With a link, or with the proof of the key of an earlier login. */
export const ownerLogin: Handler = async (c) => {
  const { fleet } = fleetOf(c);
  const name = cookieOf(c);
  if (name === null)
    return failure(c, 400, 'insecure', 'Log in over https: over plain http, a login works on loopback only.');
  const { kind, pageKey, claims } = c.var.principal;
  if (kind === 'owner_renewal') return letIn(c, name, pageKey, claims.exp);
  const key = await loginKeyOf(c);
  if ((await fleet.takeCode(fleetCodeOf(c), 'owner link')) === null) {
    return failure(
      c,
      401,
      'unauthorized',
      'This link has been used. Make another one with `holdfast link --owner`.',
    );
  }
  return letIn(c, name, key, Math.floor(Date.now() / 1000) + OWNER_LOGIN_MAX_S);
};

/** `exp`: when the login ends for good, in seconds since 1970. Without a key it ends with its first cookie. */
async function letIn(
  c: Context<App>,
  name: string,
  key: PageKey | undefined,
  exp: number,
): Promise<Response> {
  const { owner } = fleetOf(c);
  const { keys } = gateSettings(c.env);
  const { cookie, lifetimeSeconds } = await signOwnerCookie(owner, keys, Date.now(), exp);
  c.header('Set-Cookie', setCookie(name, cookie, lifetimeSeconds));
  if (key === undefined) return c.json({ cookieSeconds: lifetimeSeconds });
  return c.json({
    cookieSeconds: lifetimeSeconds,
    expiresAt: new Date(exp * 1000).toISOString(),
    // Signed again each time, so that a secret can be replaced while pages are open.
    renewal: await signOwnerRenewal({ owner, cnf: { jwk: key }, exp }, keys),
  });
}

/** Public, and useless by itself: it only proves that a signature over it is at most a minute old. */
export const showOwnerChallenge: Handler = async (c) =>
  c.json({ challenge: await signChallenge(OWNER_CHALLENGE, gateSettings(c.env).keys, Date.now()) });

export const ownerLogout: Handler = (c) => {
  const name = cookieOf(c);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};

const cookieOf = (c: Context<App>): string | null =>
  ownerCookieName(ownAddress(c.req.url, gateSettings(c.env).publicUrl));
