/** Creates, shows, renames, resizes and closes sessions. All changes are requests to the agent. */
import { Refusal } from '../../protocol/errors.ts';
import { ApiError } from '../http/api-error.ts';
import { callWorkspace, type Handler } from '../http/http.ts';
import { heldJson } from './answer/held-answer.ts';
import { change, withApiClient } from './link/open-client.ts';
import { body, query, sessionId } from './request/request.ts';
import { createSchema, listQuery, renameSchema, resizeSchema } from './request/schemas.ts';

export const listSessions: Handler = async (c) => {
  const { key = null, include } = query(c, listQuery);
  const wanted = { key, missingToo: include === 'lost' };
  return heldJson(c, async () => {
    const report = await callWorkspace(c, (object, caller) => object.sessions(caller, wanted));
    if (report.kind === 'slow_down') throw tooManyLists(report.retryAfterMs);
    return report.json;
  });
};

const tooManyLists = (retryAfterMs: number) =>
  new ApiError(
    429,
    'slow_down',
    'This token has requested too many long lists. Wait, then try again.',
    retryAfterMs,
  );

const missing = () => new Refusal('session_missing', 'This workspace has no session with this id.');

export const showSession: Handler = async (c) => {
  const id = sessionId(c);
  const session = await callWorkspace(c, (object, caller) => object.session(caller, id));
  if (session === null) throw missing();
  return c.json(session);
};

export const createSession: Handler = async (c) => {
  const wanted = await body(c, createSchema);
  const { session, found } = await withApiClient(c, {}, (client) =>
    change(client, { type: 'create_session', ...wanted }),
  );
  return c.json(session, found ? 200 : 201);
};

export const renameSession: Handler = async (c) => {
  const session = sessionId(c);
  const { name } = await body(c, renameSchema);
  return withApiClient(c, {}, async (client) => {
    await change(client, { type: 'rename_session', session, name });
    const [renamed] = (await change(client, { type: 'list_sessions', session })).sessions;
    if (renamed === undefined) throw missing();
    return c.json(renamed);
  });
};

export const resizeSession: Handler = async (c) => {
  const session = sessionId(c);
  const size = await body(c, resizeSchema);
  const { cols, rows } = await withApiClient(c, {}, (client) =>
    change(client, { type: 'resize', session, ...size, takeOver: true }),
  );
  return c.json({ cols, rows });
};

export const closeSession: Handler = async (c) => {
  const session = sessionId(c);
  await withApiClient(c, {}, (client) => change(client, { type: 'close_session', session }));
  return c.body(null, 204);
};
