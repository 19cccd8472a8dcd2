/** A token or a ticket becomes the page's cookie, and a cookie is forgotten. */
import { cookieName, setCookie } from './cookie.ts';
import { gateSettings } from './env.ts';
import { ask, failure, type Handler } from './http.ts';
import { signToken } from './token.ts';

export const login: Handler = (c) => {
  const { workspace, token, claims } = c.var.principal;
  const name = cookieName(new URL(c.req.url), workspace);
  if (name === null) {
    return failure(
      c,
      400,
      'insecure',
      'Log in over https: over plain http a cookie is kept on loopback only.',
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
  const name = cookieName(new URL(c.req.url), c.var.principal.workspace);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};
