/**
 * The API's route table: who may use each route, what it accepts and what it answers. /api/openapi.json is generated
 * from it.
 */
import { auditPageSchema } from '../../protocol/audit.ts';
import { pinnedKeySchema } from '../../protocol/pinned-key.ts';
import {
  operators,
  operatorsAndGuests,
  operatorsAndOwner,
  operatorsOfAllSessions,
  peopleAndGuests,
  peopleOfAllSessions,
} from '../gate/passage.ts';
import { resetAgentKey, showAgentKey } from '../http/agent-keys.ts';
import { showAudit } from './audit.ts';
import { listCommands, showCommandOutput } from './commands.ts';
import { showDigest } from './digest.ts';
import {
  busy,
  type DocumentedRoute,
  ended,
  late,
  missing,
  offline,
  outdated,
  route,
  unknown,
  useless,
  waiting,
} from './documented-route.ts';
import { typeInput } from './input.ts';
import { showMetrics } from './metrics.ts';
import { pushRoutes } from './push-routes.ts';
import * as schemas from './request/schemas.ts';
import { runInSession, signalProgram } from './run.ts';
import { waitForSession } from './search/wait.ts';
import {
  closeSession,
  createSession,
  listSessions,
  renameSession,
  resizeSession,
  showSession,
} from './sessions.ts';
import { shareRoutes } from './share-routes.ts';
import { openTerminal } from './single-terminal/terminal.ts';
import { showSnapshot } from './snapshot/snapshot.ts';
import { streamSession } from './stream.ts';

const workspace = '/api/workspaces/:ws';
const session = `${workspace}/sessions/:id`;

export const apiRoutes: readonly DocumentedRoute[] = [
  route('GET', `${workspace}/sessions`, peopleAndGuests, listSessions, {
    operationId: 'listSessions',
    summary: 'The sessions, also while the machine is offline.',
    query: schemas.listQuery,
    answers: { 200: ['The sessions.', schemas.sessionListSchema], 429: busy },
  }),
  route('POST', `${workspace}/sessions`, operatorsOfAllSessions, createSession, {
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
  route('GET', session, peopleAndGuests, showSession, {
    operationId: 'showSession',
    summary: 'One session, also while the machine is offline.',
    answers: { 200: ['The session.', schemas.sessionSchema], 404: missing },
  }),
  route('PATCH', session, operatorsOfAllSessions, renameSession, {
    operationId: 'renameSession',
    summary: 'Renames a session.',
    body: schemas.renameSchema,
    answers: { 200: ['The session.', schemas.sessionSchema], 404: missing, 503: offline, 504: unknown },
  }),
  route('DELETE', session, operatorsOfAllSessions, closeSession, {
    operationId: 'closeSession',
    summary: 'Ends the program (SIGHUP, SIGTERM, SIGKILL to its group) and removes the session.',
    answers: { 204: ['Removed.'], 404: missing, 503: offline, 504: unknown },
  }),
  route('POST', `${session}/input`, operatorsAndGuests, typeInput, {
    operationId: 'typeInput',
    summary: 'Sends input; answers once it was written to the terminal.',
    headers: { 'Idempotency-Key': 'A repeated key gets the same answer and sends nothing.' },
    body: schemas.inputSchema,
    takesBytes: true,
    answers: {
      200: ['The input was written to the terminal.', schemas.typedSchema],
      404: missing,
      409: ['The program has ended, or an assistant has the keyboard.', schemas.errorSchema],
      422: ['The Idempotency-Key was used for something else.', schemas.errorSchema],
      429: ['The program is not reading input.', schemas.errorSchema],
      503: offline,
      504: unknown,
    },
  }),
  route('POST', `${session}/run`, operatorsAndGuests, runInSession, {
    operationId: 'runCommand',
    summary: "Runs a command line in the session's shell, once, and tells how it ended.",
    description:
      'Answered when it has ended, waits for input or was taken over, or after `timeoutMs`; `state` says which. Go on with `wait?for=command&since=<offset>`, or by repeating the request with the same key.',
    headers: { 'Idempotency-Key': 'A repeated key runs nothing, and waits for the same run.' },
    body: schemas.runSchema,
    answers: {
      200: ['What became of the command.', schemas.runAnswerSchema],
      404: missing,
      409: [
        'Nothing was run: the shell or its keyboard is busy, somebody has taken the keyboard, or the program has ended.',
        schemas.errorSchema,
      ],
      422: ['The Idempotency-Key was used for something else.', schemas.errorSchema],
      429: waiting,
      501: outdated,
      502: useless,
      503: offline,
      504: unknown,
    },
  }),
  route('POST', `${session}/signal`, operatorsAndGuests, signalProgram, {
    operationId: 'signalProgram',
    summary: 'Sends a signal to the program in the foreground.',
    body: schemas.signalSchema,
    answers: {
      200: ['It was sent.', schemas.signalledSchema],
      404: missing,
      409: ended,
      501: outdated,
      502: useless,
      503: offline,
      504: unknown,
    },
  }),
  route('POST', `${session}/resize`, operatorsAndGuests, resizeSession, {
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
  route('GET', `${session}/snapshot`, peopleAndGuests, showSnapshot, {
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
  route('GET', `${session}/commands`, peopleAndGuests, listCommands, {
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
  route('GET', `${session}/commands/:number/output`, peopleAndGuests, showCommandOutput, {
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
  route('GET', `${session}/stream`, peopleAndGuests, streamSession, {
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
  route('GET', `${session}/wait`, peopleAndGuests, waitForSession, {
    operationId: 'waitForSession',
    summary:
      'Waits until the program ends, something is printed, a command has ended, or the session wants attention.',
    description: 'With `for=text`, give exactly one of `text` and `pattern`; the others ignore both.',
    query: schemas.waitQuery,
    answers: {
      200: ['It happened.', schemas.waitedSchema],
      404: missing,
      408: ['It did not happen in time.', schemas.errorSchema],
      409: ended,
      429: [
        'The search costs too much, too many requests of this token wait, or it has too many connections.',
        schemas.errorSchema,
      ],
      501: outdated,
      502: useless,
      503: offline,
      504: late,
    },
  }),
  route('GET', `${workspace}/digest`, peopleOfAllSessions, showDigest, {
    operationId: 'showDigest',
    summary: 'What happened in each session since a moment: commands, output and attention.',
    query: schemas.digestQuery,
    answers: {
      200: ['The sessions in which something happened.', schemas.digestSchema],
      429: busy,
      501: outdated,
      502: useless,
      503: offline,
      504: late,
    },
  }),
  ...pushRoutes,
  ...shareRoutes,
  route('GET', `${workspace}/audit`, operatorsAndOwner, showAudit, {
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
    { ...operatorsOfAllSessions, credentials: ['bearer', 'cookie', 'ticket'] },
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
