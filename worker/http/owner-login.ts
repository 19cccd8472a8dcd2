/** How the owner logs in: the key buys a link, the link works once and buys the owner's cookie. Rule GT14. */
import type { Context } from 'hono';
import { FLEET_CODES_MAX, OWNER_LINK_LIFETIME_S } from '../../protocol/limits.ts';
import { setCookie } from '../gate/cookie.ts';
import { makeFleetCode } from '../gate/fleet-code.ts';
import { ownAddress } from '../gate/own-address.ts';
import { ownerCookieName, signOwnerCookie } from '../gate/owner.ts';
import { ApiError } from './api-error.ts';
import { gateSettings } from './env.ts';
import { fleetCodeOf, fleetOf } from './fleet-object.ts';
import { type App, failure, type Handler } from './http.ts';

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

export const ownerLogin: Handler = async (c) => {
  const { fleet, owner } = fleetOf(c);
  const name = cookieOf(c);
  if (name === null)
    return failure(c, 400, 'insecure', 'Log in over https: over plain http, a login works on loopback only.');
  if ((await fleet.takeCode(fleetCodeOf(c), 'owner link')) === null) {
    return failure(
      c,
      401,
      'unauthorized',
      'This link has been used. Make another one with `holdfast link --owner`.',
    );
  }
  const { cookie, lifetimeSeconds } = await signOwnerCookie(owner, gateSettings(c.env).keys, Date.now());
  c.header('Set-Cookie', setCookie(name, cookie, lifetimeSeconds));
  return c.json({ cookieSeconds: lifetimeSeconds });
};

export const ownerLogout: Handler = (c) => {
  const name = cookieOf(c);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};

const cookieOf = (c: Context<App>): string | null =>
  ownerCookieName(ownAddress(c.req.url, gateSettings(c.env).publicUrl));
