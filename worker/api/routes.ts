/**
 * The API's route table: who may use each route, what it accepts and what it answers. /api/openapi.json is generated
 * from it.
 */
import type * as v from 'valibot';
import { auditPageSchema } from '../../protocol/audit.ts';
import { pinnedKeySchema } from '../../protocol/pinned-key.ts';
import { type Access, operators, people } from '../gate/passage.ts';
import { resetAgentKey, showAgentKey } from '../http/agent-keys.ts';
import type { Handler, Route } from '../http/http.ts';
import { showAudit } from './audit.ts';
import { listCommands, showCommandOutput } from './commands.ts';
import { typeInput } from './input.ts';
import { showMetrics } from './metrics.ts';
import * as schemas from './request/schemas.ts';
import { waitForSession } from './search/wait.ts';
import {
  closeSession,
  createSession,
  listSessions,
  renameSession,
  resizeSession,
  showSession,
} from './sessions.ts';
import { openTerminal } from './single-terminal/terminal.ts';
import { showSnapshot } from './snapshot/snapshot.ts';
import { streamSession } from './stream.ts';

export interface Answers {
  /** By status code: its meaning, and its body as a schema, a media type, or nothing. */
  readonly [status: number]: readonly [means: string, body?: v.GenericSchema | string];
}

export interface Documentation {
  /** The operation's name in generated clients. Must be unique, and must not change once published. */
  readonly operationId: string;
  readonly summary: string;
  /** What the schemas cannot express. */
  readonly description?: string;
  readonly query?: v.GenericSchema;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: v.GenericSchema;
  /** Whether the body may also be raw bytes, as application/octet-stream. */
  readonly takesBytes?: boolean;
  readonly answers: Answers;
}

export type DocumentedRoute = Route & { readonly documentation: Documentation };

const workspace = '/api/workspaces/:ws';
const session = `${workspace}/sessions/:id`;

const offline = ['The machine is not connected.', schemas.errorSchema] as const;
const missing = ['There is no such session.', schemas.errorSchema] as const;
const ended = ['The program has ended.', schemas.errorSchema] as const;
const unknown = ['It is not known whether this happened.', schemas.errorSchema] as const;

const busy = [
  'There are too many connections or large answers; try again later.',
  schemas.errorSchema,
] as const;
const outdated = ['The agent of the machine is too old for that.', schemas.errorSchema] as const;
const late = ['The machine did not answer in time.', schemas.errorSchema] as const;
const useless = ['The machine sent data that cannot be used.', schemas.errorSchema] as const;

const route = (
  method: Route['method'],
  path: string,
  access: Access,
  handle: Handler,
  documentation: Documentation,
): DocumentedRoute => ({ method, path, access, handle, documentation });

export const apiRoutes: readonly DocumentedRoute[] = [
  route('GET', `${workspace}/sessions`, people, listSessions, {
    operationId: 'listSessions',
    summary: 'The sessions, also while the machine is offline.',
    query: schemas.listQuery,
    answers: { 200: ['The sessions.', schemas.sessionListSchema], 429: busy },
  }),
  route('POST', `${workspace}/sessions`, operators, createSession, {
    operationId: 'createSession',
    summary: 'Creates a session, or finds the live one with this key.',
    body: schemas.createSchema,
    answers: {
      201: ['Created.', schemas.sessionSchema],
      200: ['A live session has this key.', schemas.sessionSchema],
      409: ['The machine has reached its limit of sessions.', schemas.errorSchema],
      422: ['The command or its directory cannot be used.', schemas.errorSchema],
      503: offline,
      504: unknown,
    },
  }),
  route('GET', session, people, showSession, {
    operationId: 'showSession',
    summary: 'One session, also while the machine is offline.',
    answers: { 200: ['The session.', schemas.sessionSchema], 404: missing },
  }),
  route('PATCH', session, operators, renameSession, {
    operationId: 'renameSession',
    summary: 'Renames a session.',
    body: schemas.renameSchema,
    answers: { 200: ['The session.', schemas.sessionSchema], 404: missing, 503: offline, 504: unknown },
  }),
  route('DELETE', session, operators, closeSession, {
    operationId: 'closeSession',
    summary: 'Ends the program (SIGHUP, SIGTERM, SIGKILL to its group) and removes the session.',
    answers: { 204: ['Removed.'], 404: missing, 503: offline, 504: unknown },
  }),
  route('POST', `${session}/input`, operators, typeInput, {
    operationId: 'typeInput',
    summary: 'Sends input; answers once it was written to the terminal.',
    headers: { 'Idempotency-Key': 'A repeated key gets the same answer and sends nothing.' },
    body: schemas.inputSchema,
    takesBytes: true,
    answers: {
      200: ['The input was written to the terminal.', schemas.typedSchema],
      404: missing,
      409: ended,
      422: ['The Idempotency-Key was used for something else.', schemas.errorSchema],
      429: ['The program is not reading input.', schemas.errorSchema],
      503: offline,
      504: unknown,
    },
  }),
  route('POST', `${session}/resize`, operators, resizeSession, {
    operationId: 'resizeSession',
    summary: 'Changes the size of the terminal.',
    body: schemas.resizeSchema,
    answers: {
      200: ['The size of the terminal.', schemas.sizeSchema],
      404: missing,
      409: ended,
      503: offline,
      504: unknown,
    },
  }),
  route('GET', `${session}/snapshot`, people, showSnapshot, {
    operationId: 'takeSnapshot',
    summary: 'The screen and the history above it.',
    query: schemas.snapshotQuery,
    answers: {
      200: ['The screen.', schemas.snapshotSchema],
      404: missing,
      413: ['The snapshot is too large; use scope=screen or format=text.', schemas.errorSchema],
      429: busy,
      502: useless,
      503: offline,
      504: unknown,
    },
  }),
  route('GET', `${session}/commands`, people, listCommands, {
    operationId: 'listCommands',
    summary: 'The last 200 commands of a session, as its shell reports them (OSC 133 and 633).',
    answers: {
      200: ['The commands.', schemas.commandListSchema],
      404: missing,
      429: busy,
      501: outdated,
      502: useless,
      503: offline,
      504: late,
    },
  }),
  route('GET', `${session}/commands/:number/output`, people, showCommandOutput, {
    operationId: 'showCommandOutput',
    summary: 'What one command printed.',
    query: schemas.commandOutputQuery,
    answers: {
      200: ['The output.', schemas.snapshotSchema],
      404: ['There is no such session or command.', schemas.errorSchema],
      410: ['The output is no longer kept.', schemas.errorSchema],
      413: ['The output is too large; use format=text.', schemas.errorSchema],
      429: busy,
      501: outdated,
      502: useless,
      503: offline,
      504: late,
    },
  }),
  route('GET', `${session}/stream`, people, streamSession, {
    operationId: 'streamSession',
    summary: 'Server-Sent Events: snapshot, data, resize, exit.',
    query: schemas.streamQuery,
    headers: { 'Last-Event-ID': 'Resumes after this event.' },
    answers: {
      200: ['The events.', 'text/event-stream'],
      204: ['That was the last event.'],
      404: missing,
      429: busy,
      502: useless,
      503: offline,
      504: late,
    },
  }),
  route('GET', `${session}/wait`, people, waitForSession, {
    operationId: 'waitForSession',
    summary: 'Waits until the program ends, or until something is printed.',
    description: 'With `for=text`, give exactly one of `text` and `pattern`; `for=exit` ignores both.',
    query: schemas.waitQuery,
    answers: {
      200: ['It happened.', schemas.waitedSchema],
      404: missing,
      408: ['It did not happen in time.', schemas.errorSchema],
      409: ended,
      429: ['The search costs too much, or there are too many connections.', schemas.errorSchema],
      502: useless,
      503: offline,
      504: late,
    },
  }),
  route('GET', `${workspace}/audit`, operators, showAudit, {
    operationId: 'listAuditEntries',
    summary: 'Who did what, newest first; also while the machine is offline.',
    query: schemas.auditQuery,
    answers: { 200: ['The entries.', auditPageSchema] },
  }),
  route('GET', `${workspace}/metrics`, operators, showMetrics, {
    operationId: 'showMetrics',
    summary: 'Numbers for Prometheus; those of the relay also while the machine is offline.',
    answers: { 200: ['The numbers.', 'text/plain'] },
  }),
  route(
    'GET',
    `${workspace}/agent-key`,
    { roles: ['operator', 'agent'], credentials: ['bearer', 'cookie'] },
    showAgentKey,
    {
      operationId: 'showAgentKey',
      summary: 'The pinned key of the agent.',
      answers: { 200: ['The key, or null when none is pinned.', pinnedKeySchema] },
    },
  ),
  route('DELETE', `${workspace}/agent-key`, operators, resetAgentKey, {
    operationId: 'resetAgentKey',
    summary: 'Removes the pin: the key of the next agent that offers one is pinned. Disconnects nobody.',
    answers: { 204: ['No key is pinned.'] },
  }),
  route(
    'GET',
    '/terminal/ws',
    { roles: ['operator'], credentials: ['bearer', 'cookie', 'ticket'] },
    openTerminal,
    {
      operationId: 'openTerminal',
      summary:
        'A terminal over a WebSocket: raw bytes in both directions. Its session ends with the connection.',
      query: schemas.terminalQuery,
      answers: {
        101: ['The terminal.'],
        409: ['The machine has reached its limit of sessions.', schemas.errorSchema],
        422: ['The shell cannot be started.', schemas.errorSchema],
        426: ['Not a WebSocket.', schemas.errorSchema],
        429: busy,
        502: useless,
        503: offline,
        504: late,
      },
    },
  ),
];
