/**
 * Runs a command in a session's shell and answers what became of it; sends signals to what runs there.
 *
 * A command is run once, whatever fails on the way: the agent knows its `act`, which with an `Idempotency-Key` is a
 * digest of the key. The client library repeats the request after a reconnect of either link; the caller may repeat it
 * after that, through any Worker. [AS1]
 */
import { actName } from '../../client/requests/act-name.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { ApiError, unknownOutcome } from '../http/api-error.ts';
import type { Handler } from '../http/http.ts';
import { badAgent, change, refusedError, withApiClient } from './link/open-client.ts';
import { waitingSeats } from './link/waiting-seats.ts';
import { digestOf, holderOf, idempotencyKey } from './request/idempotency.ts';
import { body, sessionId } from './request/request.ts';
import { runSchema, signalSchema } from './request/schemas.ts';

export const runInSession: Handler = async (c) => {
  const session = sessionId(c);
  const key = idempotencyKey(c);
  const { command, timeoutMs, actor } = await body(c, runSchema);
  const holder = await holderOf(c);
  const act = key === undefined ? crypto.randomUUID() : await digestOf(actName(session, key));
  const run = (client: WorkspaceClient) =>
    client.assistant
      .run(session, command, { act, actor, holder, waitMs: timeoutMs })
      .catch((error) => Promise.reject(errorOf(error, client, key !== undefined)));
  const leave = waitingSeats.enterFor(c);
  const became: RunState = await withApiClient(c, {}, run).finally(leave);
  return c.json(became);
};

export const signalProgram: Handler = async (c) => {
  const session = sessionId(c);
  const { signal } = await body(c, signalSchema);
  const { program } = await withApiClient(c, {}, (client) =>
    change(client, { type: 'signal_session', session, signal }),
  );
  return c.json({ program });
};

function errorOf(error: unknown, { state }: WorkspaceClient, hasKey: boolean): unknown {
  if (error instanceof ProtocolError) return badAgent(`${error.message}.`);
  if (!(error instanceof NoAnswer)) return error;
  if (state.name === 'refused') return refusedError(state);
  return hasKey ? askAgain() : unknownOutcome();
}

const askAgain = () =>
  new ApiError(
    504,
    'unknown_outcome',
    'The machine did not answer in time. Repeat the request with the same Idempotency-Key: nothing is run twice.',
  );
