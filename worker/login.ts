/** A token becomes the page's cookie, and a cookie is forgotten. */

import { cookieName, setCookie } from './cookie.ts';
import { failure, type Handler } from './http.ts';

export const login: Handler = (c) => {
  const { workspace, token, role, expiresAt } = c.var.principal;
  const name = cookieName(new URL(c.req.url), workspace);
  if (name === null) {
    return failure(
      c,
      400,
      'insecure',
      'Log in over https: over plain http a cookie is kept on loopback only.',
    );
  }
  c.header('Set-Cookie', setCookie(name, token, Math.max(0, Math.floor((expiresAt - Date.now()) / 1000))));
  return c.json({ workspace, role, expiresAt: new Date(expiresAt).toISOString() });
};

export const logout: Handler = (c) => {
  const name = cookieName(new URL(c.req.url), c.var.principal.workspace);
  if (name !== null) c.header('Set-Cookie', setCookie(name, '', 0));
  return c.body(null, 204);
};
