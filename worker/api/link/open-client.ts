/**
 * How a request reaches the workspace: by the client library, over one client socket that lasts as long as the request.
 * The page uses the same library, so requests, resuming and exactly-once input are implemented once.
 */
import type { Context } from 'hono';
import {
  type AnswerTo,
  NoAnswer,
  type RequestOf,
  type RequestType,
} from '../../../client/requests/requests.ts';
import { type ClientState, WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE, redialAfter } from '../../../protocol/close-codes.ts';
import { ProtocolError, Refusal } from '../../../protocol/errors.ts';
import { ApiError, unknownOutcome } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import type { AnswerAccount } from './answer-budget.ts';
import { inflateOnAccount } from './inflate.ts';
import { dialObject, onGivenUp, openSocket } from './object-socket.ts';

/** Serialising a screen of 5000 lines takes a tenth of a second, and a few times that on an agent under load. */
const BEGIN_WITHIN_MS = 15_000;

/** The slowest thing an agent does before it answers is to start a program, or to end one that resists. */
export const ANSWER_WITHIN_MS = 10_000;

/**
 * A program that follows a session over HTTP may not notice that the output has stopped, so it checks the connection
 * sooner than a page does.
 */
const PROVE_AFTER_MS = 12_000;

interface ClientNeeds {
  /**
   * Screens are charged to it; if they exceed the limit, the client leaves for good and `account.refusal` has the
   * reason.
   */
  readonly account?: AnswerAccount;
  /** Whose input stream this request types; a new one by default. */
  readonly instance?: string;
}

/** Opens a client, and waits until the relay has said whether the agent is online. The caller must call `leave`. */
export async function openClient(c: Context<App>, needs: ClientNeeds = {}): Promise<WorkspaceClient> {
  const { account, instance = crypto.randomUUID() } = needs;
  const client = new WorkspaceClient({
    dial: dialObject(c, await openSocket(c)),
    inflate: (bytes) => inflateOnAccount(c, bytes, account),
    ...(account === undefined ? {} : { holds: (bytes) => hold(account, bytes) }),
    clock: workerClock,
    random: Math.random,
    watched: () => true,
    instance,
    proveAfterMs: PROVE_AFTER_MS,
  });
  onGivenUp(c, () => client.leave());
  try {
    await untilClient(client, () => client.state.name === 'live' || client.state.name === 'refused');
    if (client.state.name === 'refused') throw refusedError(client.state);
    return client;
  } catch (error) {
    client.leave();
    throw error;
  }
}

/** Opens a client for the duration of `act`. */
export async function withApiClient<T>(
  c: Context<App>,
  needs: ClientNeeds,
  act: (client: WorkspaceClient) => Promise<T>,
): Promise<T> {
  const client = await openClient(c, needs);
  try {
    return await act(client);
  } finally {
    client.leave();
  }
}

/** Asks the agent to change something. If no answer arrives, the outcome is unknown, and the error says so. */
export async function change<T extends RequestType>(
  client: WorkspaceClient,
  message: RequestOf<T>,
): Promise<AnswerTo<T>> {
  try {
    return await client.requests.ask(message, { withinMs: ANSWER_WITHIN_MS });
  } catch (error) {
    if (error instanceof NoAnswer) throw unknownOutcome();
    throw error instanceof ProtocolError ? badAgent(error.message) : error;
  }
}

/** Charges bytes that wait for a reader to its account. An account over its limit records the refusal itself. [RL21] */
function hold(account: AnswerAccount, bytes: number): void {
  if (bytes <= 0) return account.release(-bytes);
  try {
    account.hold(bytes);
  } catch (error) {
    throw new ProtocolError((error as Error).message);
  }
}

export function isAgentOnline({ state }: WorkspaceClient): boolean {
  return state.name === 'live' && state.agent.state === 'online';
}

export function requireOnline(client: WorkspaceClient): void {
  if (client.state.name === 'refused') throw refusedError(client.state);
  if (!isAgentOnline(client))
    throw new Refusal('agent_offline', 'The machine is not connected; try again later.');
}

/** The HTTP error for a connection that was closed for good. */
export function refusedError({ code, why }: Extract<ClientState, { name: 'refused' }>): ApiError {
  // The client itself leaves only when the request was aborted.
  if (code === CLOSE.normal) return new ApiError(408, 'request_aborted', 'The client abandoned the request.');
  return redialAfter(code) === 'renewed' ? new ApiError(401, 'unauthorized', why) : badAgent(why);
}

export const badAgent = (why: string) =>
  new ApiError(502, 'bad_agent', `The machine sent data that cannot be used: ${why}`);

/** Resolves when `condition` holds. It is checked after every change of the client. */
export async function untilClient(client: WorkspaceClient, condition: () => boolean): Promise<void> {
  if (condition()) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = client.onChange(() => condition() && resolve());
  const cancel = workerClock.after(BEGIN_WITHIN_MS, () => reject(noAnswerInTime()));
  await promise.finally(() => {
    stop();
    cancel();
  });
}

export const noAnswerInTime = () =>
  new ApiError(504, 'timeout', 'The machine did not answer in time; try again.');
