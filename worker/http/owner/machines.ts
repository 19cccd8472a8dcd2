/** The owner's machines: lists, renames and removes them, and makes links for people. Rules GT14 and FL5. */
import * as v from 'valibot';
import {
  MACHINE_LABEL_MAX_CHARS,
  OWNER_COOKIE_LINK_MAX_S,
  OWNER_MADE_LINK_MAX_S,
  SUB_MAX_CHARS,
} from '../../../protocol/limits.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { printable } from '../../../protocol/printable.ts';
import { clientRoleSchema } from '../../../protocol/roles.ts';
import { WORKSPACE_NAME } from '../../../protocol/token.ts';
import type { ListedMachine } from '../../fleet/machine-table.ts';
import { newClaims, signToken } from '../../gate/made-token.ts';
import { requestPace } from '../../metering/request-pace.ts';
import type { Revocation } from '../../registry/revocation.ts';
import { gateSettings } from '../env.ts';
import { askerOf, failure, type Handler, jsonBody } from '../http.ts';
import { fleetOf, listedMachine, noMachine } from './fleet-object.ts';

export const listMachines: Handler = async (c) => {
  const machines = await fleetOf(c).fleet.machines();
  requestPace.charge(askerOf(c.var.principal), { machines: machines.length }, Date.now());
  return c.json({ machines: machines.map(shown) });
};

const iso = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString();

function shown({ name, label, joined, report }: ListedMachine): FleetMachine {
  return {
    name,
    displayName: label,
    origin: joined === null ? 'token' : 'invite',
    fingerprint: joined?.fingerprint ?? null,
    joinedAt: iso(joined?.joinedAt),
    state: report === null ? 'unknown' : report.isOnline ? 'online' : 'offline',
    since: iso(report?.since),
    lastSeen: iso(report?.lastSeen),
    sessions: report?.sessions ?? 0,
    attention: report?.attention ?? null,
    version: report?.version ?? null,
  };
}

const renameSchema = v.strictObject({
  displayName: v.nullable(
    v.pipe(
      v.string(),
      v.maxLength(MACHINE_LABEL_MAX_CHARS),
      v.transform((text) => printable(text)),
    ),
  ),
});

/** Null, or a name of which nothing can be shown, calls the machine by its own name again. */
export const renameMachine: Handler = async (c) => {
  const wanted = v.safeParse(renameSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(
      c,
      400,
      'bad_request',
      `A new name takes {"displayName": at most ${MACHINE_LABEL_MAX_CHARS} characters, or null}.`,
    );
  }
  const { displayName } = wanted.output;
  const { fleet } = fleetOf(c);
  const renamed = await fleet.renameMachine(c.req.param('machine') ?? '', displayName || null);
  if (renamed === null) throw noMachine();
  return c.json(shown(renamed));
};

/**
 * The token of a machine that has joined is revoked, which disconnects it, and its key is no longer pinned. Its sessions
 * stay on the machine. All other tokens of its workspace are revoked too: the next machine of this name may be another,
 * and is not for whoever had a link to this one. This also holds when the list of revoked tokens is full, which an
 * operator can fill. What token a machine has that was not invited is not known here, so that one can only be forgotten
 * while it is away.
 */
export const removeMachine: Handler = async (c) => {
  const { name, joined, report } = await listedMachine(c);
  const { fleet } = fleetOf(c);
  if (joined === null && report?.isOnline === true) {
    return failure(
      c,
      409,
      'machine_online',
      'This machine was not invited; it is connected with a token. Stop its agent or revoke its token first.',
    );
  }
  const { machine } = await fleet.placeFor(name);
  if (machine !== null) {
    const { caller } = c.var.principal;
    const workspace = c.env.WORKSPACE.getByName(name);
    const revoke = (revocation: Revocation) => workspace.revocations(caller, { kind: 'revoke', revocation });
    const own = await revoke({ jti: machine.tokenId, expiresAt: machine.tokenExpiresAt });
    const isListed = own.ok && own.value === 'revoked';
    await revoke({ before: endOfTokens(Date.now(), isListed) });
    await workspace.changeAgentKey(caller, { kind: 'reset' });
  }
  await fleet.forgetMachine(name);
  return c.body(null, 204);
};

/**
 * Tokens name the second in which they were made. Those of this second are spared if the machine's own token is revoked
 * by its id, so that a machine can join again at once.
 */
function endOfTokens(now: number, isListed: boolean): number {
  const thisSecond = Math.floor(now / 1000) * 1000;
  return isListed ? thisSecond : thisSecond + 1000;
}

const linkSchema = v.strictObject({
  role: clientRoleSchema,
  seconds: v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(OWNER_MADE_LINK_MAX_S)),
  /** Who it is for: the name that others see. */
  name: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(SUB_MAX_CHARS),
      v.transform((text) => printable(text)),
    ),
  ),
});

/** Answers with a token for one workspace, which a link carries. */
export const makeLink: Handler = async (c) => {
  const ws = c.req.param('machine') ?? '';
  const wanted = v.safeParse(linkSchema, await jsonBody(c));
  if (!wanted.success || !WORKSPACE_NAME.test(ws)) {
    return failure(
      c,
      400,
      'bad_request',
      `A link takes {"role": "operator" or "viewer", "seconds": 60 to ${OWNER_MADE_LINK_MAX_S}, "name"?}.`,
    );
  }
  const { role, name, seconds } = wanted.output;
  // Whoever steals the cookie must not get more out of it than a working day.
  const isByCookie = c.var.principal.kind === 'owner_cookie';
  const lifetime = Math.min(seconds, isByCookie ? OWNER_COOKIE_LINK_MAX_S : OWNER_MADE_LINK_MAX_S);
  const claims = newClaims({ ws, role, ...(name ? { sub: name } : {}) }, lifetime);
  const token = await signToken(claims, gateSettings(c.env).keys);
  return c.json({ token, role, expiresAt: new Date(claims.exp * 1000).toISOString() }, 201);
};
