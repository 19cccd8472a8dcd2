/** A token or a ticket becomes the page's cookie, and a cookie is forgotten. */
import { cookieName, setCookie } from './cookie.ts';
import { gateSettings } from './env.ts';
import { ask, failure, type Handler } from './http.ts';
import { ownAddress } from './own-address.ts';
import { signToken } from './token.ts';

export const login: Handler = (c) => {
  const { workspace, token, claims } = c.var.principal;
  const { publicUrl } = gateSettings(c.env);
  const name = cookieName(ownAddress(c.req.url, publicUrl), workspace);
  if (name === null) {
    return failure(
      c,
      400,
      'insecure',
      'Log in over https: over plain http a cookie is kept on loopback only. Behind a proxy that ends TLS, set RELAY_PUBLIC_URL.',
    );
  }
  return ask(
    c,
    (object, caller) => object.vouch(caller),
    async () => {
      // What a ticket buys lasts as long as the token it was bought with, and is revoked with it.
      const kept = token ?? (await signToken(claims, gateSettings(c.env).keys));
      const expiresAt = claims.exp * 1000;
      c.header('Set-Cookie', setCookie(name, kept, Math.max(0, Math.floor((expiresAt - Date.now()) / 1000))));
      return c.json({ workspace, role: claims.role, expiresAt: new Date(expiresAt).toISOString() });
    },
  );
};

export const logout: Handler = (c) => {
  const { publicUrl } = gateSettings(c.env);
  const name = cookieName(ownAddress(c.req.url, publicUrl), c.var.principal.workspace);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};
