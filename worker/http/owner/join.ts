/**
 * A machine joins: it trades an invite for a token that works with its own key only, and its key is pinned. Rules GT14
 * and AK9.
 */
import type { Context } from 'hono';
import * as v from 'valibot';
import { FLEET_CODES_MAX, MACHINE_TOKEN_LIFETIME_S } from '../../../protocol/limits.ts';
import { WORKSPACE_NAME } from '../../../protocol/token.ts';
import type { KeptCode } from '../../fleet/code-table.ts';
import { fingerprint, prepareChallenge } from '../../gate/agent-challenge.ts';
import { newClaims, signToken } from '../../gate/made-token.ts';
import { requestPace } from '../../metering/request-pace.ts';
import { ApiError } from '../api-error.ts';
import { gateSettings } from '../env.ts';
import { type App, askerOf, failure, type Handler, jsonBody } from '../http.ts';
import { fleetCodeOf, fleetOf } from './fleet-object.ts';

const name = v.pipe(v.string(), v.regex(WORKSPACE_NAME));

/** `name` is what the person asked for; `hostname` is used if neither they nor the invite name one. */
const joinSchema = v.strictObject({
  key: v.pipe(v.string(), v.maxLength(64)),
  name: v.optional(name),
  hostname: v.optional(name),
});

export const join: Handler = async (c) => {
  const wanted = v.safeParse(joinSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(
      c,
      400,
      'bad_request',
      'Send {"key": <X25519 public key>, "name"?, "hostname"?}; names have 1 to 64 letters, digits, - and _.',
    );
  }
  const { key, ...names } = wanted.output;
  const { fleet } = fleetOf(c);
  const invite = await fleet.takeCode(fleetCodeOf(c), 'invite');
  if (invite === null) {
    return failure(
      c,
      401,
      'invite_used',
      'This invite has been used. Make another one with `holdfast invite`.',
    );
  }
  try {
    return c.json(await admit(c, invite, { key, name: chosenName(invite, names) }), 201);
  } catch (error) {
    // Otherwise an invite could be used to wake workspaces without a pause: it is worth something until it is used up.
    requestPace.charge(askerOf(c.var.principal), { workspaces: 1 }, Date.now());
    // Nothing was done with it, so the person can correct the name and try again.
    await fleet.keepCode(invite, FLEET_CODES_MAX);
    throw error;
  }
};

interface Names {
  readonly name?: string | undefined;
  readonly hostname?: string | undefined;
}

function chosenName({ machine }: KeptCode, { name, hostname }: Names): string {
  if (machine !== null && name !== undefined && name !== machine) {
    throw new ApiError(
      409,
      'other_name',
      `This invite is for the machine “${machine}”. Leave out --name, or make another invite.`,
    );
  }
  const chosen = machine ?? name ?? hostname;
  if (chosen !== undefined) return chosen;
  throw new ApiError(400, 'name_missing', 'This machine needs a name. Give one with --name.');
}

interface Joining {
  readonly key: string;
  readonly name: string;
}

async function admit(c: Context<App>, { machine }: KeptCode, { key, name }: Joining) {
  if ((await prepareChallenge(name, key)) === null)
    throw new ApiError(400, 'bad_request', '`key` is not an X25519 public key.');
  const { fleet } = fleetOf(c);
  const place = await fleet.placeFor(name);
  if (!place.hasRoom)
    throw new ApiError(
      409,
      'too_many_machines',
      'This relay has no room for more machines. Remove one first.',
    );
  // Works with this key only, so it may live long.
  const token = newClaims({ ws: name, role: 'agent', key }, MACHINE_TOKEN_LIFETIME_S);
  const credential = {
    tokenId: token.jti,
    issuedAt: token.iat * 1000,
    expiresAt: token.exp * 1000,
    name: 'owner',
  };
  const caller = { ...c.var.principal.caller, credential };
  const workspace = c.env.WORKSPACE.getByName(name);
  const answer = await workspace.changeAgentKey(caller, { kind: 'adopt', key, mayReplace: machine !== null });
  if (!answer.ok) throw new ApiError(401, 'unauthorized', answer.why);
  if (answer.value === 'taken') throw nameTaken(name);
  const { machine: before } = place;
  // The machine that had this name may still be connected.
  if (before !== null) {
    const revocation = { jti: before.tokenId, expiresAt: before.tokenExpiresAt };
    await workspace.revocations(caller, { kind: 'revoke', revocation });
  }
  const joined = { name, fingerprint: await fingerprint(key), joinedAt: Date.now() };
  await fleet.keepMachine({ ...joined, tokenId: token.jti, tokenExpiresAt: token.exp * 1000 });
  return {
    workspace: name,
    token: await signToken(token, gateSettings(c.env).keys),
    fingerprint: joined.fingerprint,
    expiresAt: new Date(token.exp * 1000).toISOString(),
  };
}

const nameTaken = (name: string) =>
  new ApiError(
    409,
    'name_taken',
    `There is a machine named “${name}” already. Give another name with --name; if this machine replaces it, make an invite with \`holdfast invite --machine ${name}\`.`,
  );
