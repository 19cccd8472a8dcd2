/** Issues tickets. A token buys a ticket; a page uses it once, within seconds. Rule GT7. */
import * as v from 'valibot';
import { DEVICE_CODE_LIFETIME_S } from '../../protocol/limits.ts';
import { clientRoleSchema } from '../../protocol/roles.ts';
import { newCodeId, signDeviceCode } from '../gate/device-code.ts';
import { ownAddress } from '../gate/own-address.ts';
import { signTicket, TICKET_LIFETIME_S } from '../gate/own-credentials.ts';
import { gateSettings } from './env.ts';
import { callWorkspace, failure, type Handler, jsonBody } from './http.ts';

const wantedSchema = v.object({
  role: v.optional(clientRoleSchema),
  origin: v.optional(v.string()),
});

/**
 * A code with which another device opens the page. Unlike a ticket it can be bought with the page's own key, which a
 * thief of the cookie does not have. [GT13]
 */
export const issueDeviceCode: Handler = async (c) => {
  const { claims } = c.var.principal;
  const wanted = v.safeParse(v.strictObject({ role: v.optional(clientRoleSchema) }), await jsonBody(c));
  if (!wanted.success)
    return failure(c, 400, 'bad_request', 'A code takes {"role"?: "operator" or "viewer"}.');
  const { role = claims.role === 'operator' ? 'operator' : 'viewer' } = wanted.output;
  if (role === 'operator' && claims.role !== 'operator')
    return failure(c, 403, 'forbidden', 'A viewer cannot make a code for an operator.');
  await callWorkspace(c, (object, caller) => object.checkCredential(caller));
  const exp = Math.min(Math.floor(Date.now() / 1000) + DEVICE_CODE_LIFETIME_S, claims.exp);
  const code = await signDeviceCode({ token: claims, role, exp, jti: newCodeId() }, gateSettings(c.env).keys);
  return c.json({ code, role, expiresAt: new Date(exp * 1000).toISOString() }, 201);
};

export const issueTicket: Handler = async (c) => {
  const { claims, workspace } = c.var.principal;
  const { keys, embedders, publicUrl } = gateSettings(c.env);
  const wanted = v.safeParse(wantedSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(c, 400, 'bad_request', 'A ticket takes {"role"?: "operator" or "viewer", "origin"?: …}.');
  }
  const own = ownAddress(c.req.url, publicUrl).origin;
  const {
    role = claims.role === 'operator' ? 'operator' : 'viewer',
    origin = c.req.header('Origin') ?? own,
  } = wanted.output;
  if (role === 'operator' && claims.role !== 'operator') {
    return failure(c, 403, 'forbidden', 'A viewer cannot make a ticket for an operator.');
  }
  if (origin !== own && !embedders.has(origin)) {
    return failure(c, 400, 'unknown_origin', 'RELAY_ORIGINS does not list this origin.');
  }
  await callWorkspace(c, (object, caller) => object.checkCredential(caller));
  const exp = Math.min(Math.floor(Date.now() / 1000) + TICKET_LIFETIME_S, claims.exp);
  const ticket = await signTicket({ token: claims, role, origin, exp, jti: crypto.randomUUID() }, keys);
  return c.json({ ticket, workspace, role, origin, expiresAt: new Date(exp * 1000).toISOString() }, 201);
};
