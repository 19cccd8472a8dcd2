/** Follows a session for the duration of a request. It runs the page's client library inside the Worker. */
import type { Context } from 'hono';
import type { AttachedSession, AttachOptions } from '../../../client/attached-session.ts';
import type { Screen } from '../../../client/screen.ts';
import { type ClientState, WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE, redialAfter } from '../../../protocol/close-codes.ts';
import { ProtocolError, Refusal } from '../../../protocol/errors.ts';
import type { Size } from '../../../protocol/frame.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import type { AnswerAccount } from './answer-budget.ts';
import { inflateOnAccount } from './inflate.ts';
import { dialObject, onGivenUp, openSocket } from './object-socket.ts';

/** Serialising a screen of 5000 lines takes a tenth of a second, and a few times that on an agent under load. */
const BEGIN_WITHIN_MS = 15_000;

/**
 * A program that follows a session over HTTP may not notice that the output has stopped, so it checks the connection
 * sooner than a page does.
 */
const PROVE_AFTER_MS = 12_000;

/**
 * Opens a client once the agent is known to be online. The caller must call `leave`. Its screens are charged to
 * `account`, if given; if they exceed the limit, the client leaves for good and `account.refusal` has the reason.
 */
export async function openClient(c: Context<App>, account?: AnswerAccount): Promise<WorkspaceClient> {
  const client = new WorkspaceClient({
    dial: dialObject(c, await openSocket(c)),
    inflate: (bytes) => inflateOnAccount(bytes, account),
    ...(account === undefined ? {} : { holds: (bytes) => hold(account, bytes) }),
    clock: workerClock,
    random: Math.random,
    watched: () => true,
    instance: crypto.randomUUID(),
    proveAfterMs: PROVE_AFTER_MS,
  });
  onGivenUp(c, () => client.leave());
  try {
    await until(client, () => client.state.name === 'live' || client.state.name === 'refused');
    requireOnline(client);
    return client;
  } catch (error) {
    client.leave();
    throw error;
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

/** Resolves once the session is attached and the replay is received; otherwise throws the error that HTTP answers. */
export async function attach(
  client: WorkspaceClient,
  id: string,
  size: Size | null,
  screen: Screen,
  options: AttachOptions,
): Promise<AttachedSession> {
  const session = client.attach(id, size, screen, options);
  await until(client, () => session.state.name !== 'attaching' || !isOnline(client));
  if (session.state.name === 'attaching') requireOnline(client);
  if (session.state.name === 'gone') throw new Refusal(session.state.code, session.state.why);
  return session;
}

function isOnline({ state }: WorkspaceClient): boolean {
  return state.name === 'live' && state.agent.state === 'online';
}

/** The HTTP error for a connection that was closed for good. */
export function refusedError({ code, why }: Extract<ClientState, { name: 'refused' }>): ApiError {
  return redialAfter(code) === 'renewed'
    ? new ApiError(401, 'unauthorized', why)
    : new ApiError(502, 'bad_agent', `The machine sent data that cannot be used: ${why}`);
}

/** An agent sends at most one window ahead of acknowledgements. [OU9] */
export const heedless = () =>
  new ApiError(502, 'bad_agent', 'The machine sent more than was requested. Update its agent.');

function requireOnline(client: WorkspaceClient): void {
  const { state } = client;
  if (state.name === 'refused' && state.code !== CLOSE.normal) throw refusedError(state);
  if (!isOnline(client)) throw new Refusal('agent_offline', 'The machine is not connected; try again later.');
}

/** Resolves when `condition` holds. It is checked after every change of the client. */
async function until(client: WorkspaceClient, condition: () => boolean): Promise<void> {
  if (condition()) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = client.onChange(() => condition() && resolve());
  const cancel = workerClock.after(BEGIN_WITHIN_MS, () =>
    reject(new ApiError(504, 'timeout', 'The machine did not answer in time; try again.')),
  );
  await promise.finally(() => {
    stop();
    cancel();
  });
}
