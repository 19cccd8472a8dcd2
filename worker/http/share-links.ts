/** Makes, lists and revokes share links, and opens one for a login. Rules SL1 to SL4. */
import type { Context } from 'hono';
import * as v from 'valibot';
import {
  SHARE_LABEL_MAX_CHARS,
  SHARE_LINK_MAX_S,
  SHARE_LINK_MIN_S,
  SHARE_LINKS_MAX,
} from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { type SharedLink, type WantedLink, wantedLinkSchema } from '../../protocol/share-link.ts';
import type { Claims } from '../../protocol/token.ts';
import { ownAddress } from '../gate/own-address.ts';
import { makeShareCode } from '../gate/share-code.ts';
import type { ShareLink } from '../registry/share-links.ts';
import type { LinkAnswers, LinkRequest } from '../workspace/sharing.ts';
import { ApiError } from './api-error.ts';
import { gateSettings } from './env.ts';
import { type App, callWorkspace, failure, type Handler, jsonBody, LINK_ENDED } from './http.ts';

/** The name of whoever opens a link without a label. */
const NO_LABEL = 'Guest';

async function ask<K extends LinkRequest['kind']>(
  c: Context<App>,
  request: Extract<LinkRequest, { kind: K }>,
): Promise<LinkAnswers[K]> {
  const answer = await callWorkspace(c, (object, caller) => object.shareLinks(caller, request));
  // The object answers each kind of request in its own way; its method has one type for all.
  return answer as LinkAnswers[K];
}

export const listShareLinks: Handler = async (c) => {
  const links = await ask(c, { kind: 'list' });
  return c.json({ links: links.map(shown) });
};

/** Not for a cookie: whoever steals one must not get a link out of it that outlives it. [SL4] */
export const makeShareLink: Handler = async (c) => {
  const wanted = v.safeParse(wantedLinkSchema, await jsonBody(c));
  if (!wanted.success) return failure(c, 400, 'bad_request', WHAT_A_LINK_TAKES);
  const { keys, publicUrl } = gateSettings(c.env);
  const { workspace } = c.var.principal;
  const { code, id, expiresAt } = await makeShareCode(workspace, wanted.output.seconds, keys, Date.now());
  const made = await ask(c, { kind: 'make', link: { ...asked(wanted.output), id, expiresAt } });
  if (made === 'list_full') return failure(c, 409, 'link_limit', TOO_MANY);
  if (made === 'no_session')
    return failure(c, 404, 'session_missing', 'This workspace has no session with this id.');
  const link = new URL(`/w/${workspace}#share=${code}`, ownAddress(c.req.url, publicUrl)).href;
  return c.json({ ...shown(made), link }, 201);
};

export const revokeShareLink: Handler = async (c) => {
  const wasThere = await ask(c, { kind: 'revoke', id: c.req.param('link') ?? '' });
  return wasThere ? c.body(null, 204) : failure(c, 404, 'not_found', 'There is no such link.');
};

/** What the login of whoever shows this link may do. */
export async function openLink(c: Context<App>): Promise<Claims> {
  const { claims } = c.var.principal;
  const opened = await ask(c, { kind: 'open' });
  if (opened === null) throw new ApiError(401, 'unauthorized', LINK_ENDED);
  const { role, session, label, issuedAt } = opened;
  return { ...claims, role, iat: issuedAt, sub: label, ...(session === null ? {} : { session }) };
}

function asked({ role, session, label = '' }: WantedLink): Pick<ShareLink, 'role' | 'session' | 'label'> {
  return { role, session: session ?? null, label: printable(label).trim() || NO_LABEL };
}

function shown({ id, role, session, label, madeBy, madeAt, expiresAt, usedAt, uses }: ShareLink): SharedLink {
  const times = { madeAt: isoTime(madeAt), expiresAt: isoTime(expiresAt) };
  const lastUsedAt = usedAt === null ? null : isoTime(usedAt);
  return { id, role, session, label, madeBy, ...times, lastUsedAt, uses };
}

const isoTime = (ms: number) => new Date(ms).toISOString();

const WHAT_A_LINK_TAKES = `A link takes {"role": "operator" or "viewer", "session"?: <id>, "seconds": ${SHARE_LINK_MIN_S} to ${SHARE_LINK_MAX_S}, "label"?: at most ${SHARE_LABEL_MAX_CHARS} characters}.`;
const TOO_MANY = `A workspace has at most ${SHARE_LINKS_MAX} share links; revoke one first.`;
