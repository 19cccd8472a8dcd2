/** Invites: the owner makes one, lists them and takes one back. join.ts takes one. Rule GT14. */
import * as v from 'valibot';
import { FLEET_CODES_MAX, FLEET_COOKIE_CODES_MAX, INVITE_LIFETIME_S } from '../../../protocol/limits.ts';
import { WORKSPACE_NAME } from '../../../protocol/token.ts';
import type { KeptCode } from '../../fleet/code-table.ts';
import { makeFleetCode } from '../../gate/fleet-code.ts';
import { gateSettings } from '../env.ts';
import { failure, type Handler, jsonBody } from '../http.ts';
import { fleetOf } from './fleet-object.ts';
import { tooManyCodes } from './owner-login.ts';

/** `machine`: the only name it is for. A machine that has this name is replaced. */
const inviteSchema = v.strictObject({ machine: v.optional(v.pipe(v.string(), v.regex(WORKSPACE_NAME))) });

export const makeInvite: Handler = async (c) => {
  const wanted = v.safeParse(inviteSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(
      c,
      400,
      'bad_request',
      'An invite takes {"machine"?: <1 to 64 letters, digits, - and _>}.',
    );
  }
  const { fleet, owner } = fleetOf(c);
  const { keys } = gateSettings(c.env);
  const { machine = null } = wanted.output;
  const { code, id, expiresAt } = await makeFleetCode('invite', owner, INVITE_LIFETIME_S, keys, Date.now());
  const invite: KeptCode = { id, kind: 'invite', machine, expiresAt };
  // Whoever steals the cookie must not keep the key from making codes.
  const most = c.var.principal.kind === 'owner_cookie' ? FLEET_COOKIE_CODES_MAX : FLEET_CODES_MAX;
  if (!(await fleet.keepCode(invite, most))) throw tooManyCodes();
  return c.json({ code, ...shown(invite) }, 201);
};

export const listInvites: Handler = async (c) =>
  c.json({ invites: (await fleetOf(c).fleet.invites()).map(shown) });

export const takeInviteBack: Handler = async (c) => {
  const taken = await fleetOf(c).fleet.takeCode(c.req.param('id') ?? '', 'invite');
  return taken === null
    ? failure(c, 404, 'not_found', 'There is no such invite: it was used, or has expired.')
    : c.body(null, 204);
};

const shown = ({ id, machine, expiresAt }: KeptCode) => ({
  id,
  machine,
  expiresAt: new Date(expiresAt).toISOString(),
});
