/** Creates, shows, renames, resizes and closes sessions. All changes are requests to the agent. */
import type { Context } from 'hono';
import { Refusal } from '../../protocol/errors.ts';
import type { ClientMessage, ServerMessage, ServerMessageOf } from '../../protocol/messages.ts';
import { ApiError, unknownOutcome } from '../http/api-error.ts';
import type { App, Handler } from '../http/http.ts';
import { heldAnswer, inPieces, openAccount } from './answer/held-answer.ts';
import { consult } from './link/consult.ts';
import { NoAnswer, ObjectLink } from './link/object-link.ts';
import { body, query, sessionId } from './request/request.ts';
import { createSchema, listQuery, renameSchema, resizeSchema } from './request/schemas.ts';

/** Asks the agent to change something. If no answer arrives, the outcome is unknown, and the error says so. */
export async function change<T extends ServerMessage['type']>(
  c: Context<App>,
  type: T,
  compose: (request: string) => ClientMessage,
  isAnswer?: (message: ServerMessage) => boolean,
): Promise<ServerMessageOf<T>> {
  try {
    const answer = await ObjectLink.use(c, {}, (link) => link.ask(compose, isAnswer));
    if (answer.type !== type) throw new Error(`invariant: ${type} was due, ${answer.type} came`);
    return answer as ServerMessageOf<T>;
  } catch (error) {
    throw error instanceof NoAnswer ? unknownOutcome() : error;
  }
}

async function describe(c: Context<App>, id: string): Promise<Response> {
  const session = await consult(c, (object, caller) => object.session(caller, id));
  if (session === null) throw new Refusal('session_missing', 'This workspace has no session with this id.');
  return c.json(session);
}

export const listSessions: Handler = async (c) => {
  const { key = null, include } = query(c, listQuery);
  const account = openAccount(c);
  try {
    const wanted = { key, missingToo: include === 'lost' };
    const report = await consult(c, (object, caller) => object.sessions(caller, wanted));
    if (report.kind === 'slow_down') throw tooManyLists(report.retryAfterMs);
    const bytes = new TextEncoder().encode(report.json) as Uint8Array<ArrayBuffer>;
    account.hold(bytes.length);
    return heldAnswer(c, inPieces(bytes), () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
};

const tooManyLists = (retryAfterMs: number) =>
  new ApiError(
    429,
    'slow_down',
    'This token has requested too many long lists. Wait, then try again.',
    retryAfterMs,
  );

export const showSession: Handler = (c) => describe(c, sessionId(c));

export const createSession: Handler = async (c) => {
  const wanted = await body(c, createSchema);
  const { session, found } = await change(c, 'session_created', (request) => ({
    type: 'create_session',
    request,
    ...wanted,
  }));
  return c.json(session, found ? 200 : 201);
};

export const renameSession: Handler = async (c) => {
  const id = sessionId(c);
  const { name } = await body(c, renameSchema);
  await change(
    c,
    'session_renamed',
    (request) => ({ type: 'rename_session', request, session: id, name }),
    (message) => message.type === 'session_renamed' && message.session === id,
  );
  return describe(c, id);
};

export const resizeSession: Handler = async (c) => {
  const session = sessionId(c);
  const size = await body(c, resizeSchema);
  const { cols, rows } = await change(c, 'session_resized', (request) => ({
    type: 'resize',
    request,
    session,
    ...size,
    takeOver: true,
  }));
  return c.json({ cols, rows });
};

export const closeSession: Handler = async (c) => {
  const id = sessionId(c);
  await change(
    c,
    'session_closed',
    (request) => ({ type: 'close_session', request, session: id }),
    (message) => message.type === 'session_closed' && message.session === id,
  );
  return c.body(null, 204);
};
