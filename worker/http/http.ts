/** Shared by all handlers: the request context, the common error format, and access to the workspace's object. */
import type { Context } from 'hono';
import type { ErrorReply } from '../../protocol/error-reply.ts';
import type { AuthFailures } from '../gate/auth-failures.ts';
import type { Caller } from '../gate/caller.ts';
import type { Access, Principal } from '../gate/passage.ts';
import type { RequestOwner } from '../metering/request-pace.ts';
import { ownerOf } from '../peers/owner.ts';
import type { Answer } from '../workspace/answer.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ApiError, type FailureStatus } from './api-error.ts';
import { readBody } from './body.ts';
import type { Env } from './env.ts';
import { placement } from './region.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly access: Access;
  readonly handle: Handler;
}

export type App = { Bindings: Env; Variables: { principal: Principal; authFailures: AuthFailures } };
export type Handler = (c: Context<App>) => Response | Promise<Response>;

export function failure(c: Context<App>, status: FailureStatus, code: string, message: string): Response {
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  const reply: ErrorReply = { error: { code, message } };
  return c.json(reply, status);
}

/**
 * The token and workspace that a request is counted for. Whoever may name any workspace is counted by what was sent, and
 * no workspace has such a name: codes are given away, and one that was used still passes the gate; the owner's cookie can
 * be stolen. Their requests take nothing from those with the owner's key.
 */
export function askerOf(principal: Principal): RequestOwner {
  const { caller, workspace, fleetCode, kind } = principal;
  if (fleetCode !== undefined) return { role: caller.role, tokenId: fleetCode.id, workspace: '.codes' };
  return { ...ownerOf(caller), workspace: isOfOwner(principal) ? `.${kind}` : workspace };
}

/** Whether the relay's owner sent it, who may name any workspace. */
export const isOfOwner = ({ kind }: Principal): boolean => kind === 'owner' || kind === 'owner_cookie';

/** Those whose requests share a part of the isolate's work: the viewers of a workspace, or its operators. */
export const sharerOf = ({ caller: { role }, workspace }: Principal): string => `${workspace} ${role}`;

/**
 * The object of the caller's workspace. If this is the first request to reach it, it is placed near its machine. [RL13]
 */
export function workspaceOf(c: Context<App>): DurableObjectStub<Workspace> {
  const { claims, workspace } = c.var.principal;
  // Only an agent may override the region of its token. A client's query string is not trusted.
  const told = claims.role === 'agent' ? c.req.query('region') : null;
  return c.env.WORKSPACE.getByName(workspace, placement(told, claims.region, c.env.RELAY_REGION));
}

/**
 * Calls the object, for requests that need no agent: they work while it is offline, and take no client's seat. If the
 * object refuses the credential, the request is refused too.
 */
export async function callWorkspace<T>(
  c: Context<App>,
  call: (workspace: DurableObjectStub<Workspace>, caller: Caller) => Promise<Answer<T>>,
): Promise<T> {
  const answer = await call(workspaceOf(c), c.var.principal.caller);
  if (answer.ok) return answer.value;
  // A code is a short ticket, but not called one where people see it.
  const { kind } = c.var.principal;
  const why = kind === 'code' ? answer.why.replace('The ticket', 'This code') : answer.why;
  throw new ApiError(401, 'unauthorized', kind === 'share' ? LINK_ENDED : why);
}

export const LINK_ENDED = 'This link is no longer valid: it was revoked, or its session is gone.';

/** The request's JSON, bounded in size. Invalid JSON becomes null, which no schema accepts. */
export async function jsonBody(c: Context<App>): Promise<unknown> {
  const text = new TextDecoder().decode(await readBody(c.req.raw, BODY_MAX_BYTES, c.var.principal.workspace));
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return null;
  }
}

/** Outside of the session API, the largest body is a ticket request. */
const BODY_MAX_BYTES = 4096;
