/** Sessions made, shown, renamed, resized and closed. What changes them is asked of the agent. */
import type { Context } from 'hono';
import { Refusal } from '../../protocol/errors.ts';
import { LIST_RESERVED_BYTES } from '../../protocol/limits.ts';
import type { ClientMessage, ServerMessage, ServerMessageOf } from '../../protocol/messages.ts';
import type { App, Handler } from '../http.ts';
import { requestMeter } from '../request-meter.ts';
import { answerBudget } from './answer-budget.ts';
import { unknownOutcome } from './api-error.ts';
import { consult } from './consult.ts';
import { heldAnswer, inPieces } from './held-answer.ts';
import { NoAnswer, ObjectLink } from './object-link.ts';
import { body, query, sessionId } from './request.ts';
import { createSchema, listQuery, renameSchema, resizeSchema } from './schemas.ts';

/** Asks the agent to change something; an answer that does not come leaves that open, and says so. */
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

/** How long a workspace's list was when it was last asked for, so that room for it is held before it is made. */
const listSizes = new Map<string, number>();
const LIST_SIZES_MAX = 1000;
/** While it is made, a list is there as objects, as text and as bytes. */
const COPIES = 4;

export const listSessions: Handler = async (c) => {
  const { key = null, include } = query(c, listQuery);
  const { caller, workspace } = c.var.principal;
  const account = answerBudget.open(workspace);
  try {
    const { tokenId } = caller.credential;
    const reserved = listSizes.get(workspace) ?? LIST_RESERVED_BYTES;
    account.hold(reserved * COPIES);
    // Counted before it is made: requests that come together would all be let through otherwise.
    requestMeter.answered(tokenId, reserved, Date.now());
    const report = await consult(c, (object) =>
      object.sessions(caller, { key, missingToo: include === 'lost' }),
    );
    const bytes = new TextEncoder().encode(JSON.stringify(report)) as Uint8Array<ArrayBuffer>;
    rememberSize(workspace, bytes.length);
    if (bytes.length > reserved) {
      requestMeter.answered(tokenId, bytes.length - reserved, Date.now());
      account.hold(bytes.length - reserved);
    }
    return heldAnswer(c, inPieces(bytes), () => account.close());
  } catch (error) {
    account.close();
    throw error;
  }
};

function rememberSize(workspace: string, bytes: number): void {
  listSizes.delete(workspace);
  listSizes.set(workspace, Math.max(bytes, LIST_RESERVED_BYTES));
  const [oldest] = listSizes.keys();
  if (listSizes.size > LIST_SIZES_MAX && oldest !== undefined) listSizes.delete(oldest);
}

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
