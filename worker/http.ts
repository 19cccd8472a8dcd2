/** What handlers share: the context they get, and the one shape of an error answer. */
import type { Context } from 'hono';
import type { Env } from './env.ts';
import type { Principal } from './gate.ts';

export type App = { Bindings: Env; Variables: { principal: Principal } };
export type Handler = (c: Context<App>) => Response | Promise<Response>;

export function failure(
  c: Context<App>,
  status: 400 | 401 | 403 | 404 | 426 | 500,
  code: string,
  message: string,
): Response {
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  return c.json({ error: { code, message } }, status);
}
