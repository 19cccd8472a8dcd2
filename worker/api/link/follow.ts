/** Follows a session for as long as a request lasts: the client library of the page, inside the Worker. */
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

/** A screen of 5000 lines takes a tenth of a second to write down; an agent under load a few of them. */
const BEGIN_WITHIN_MS = 15_000;

/** Whoever follows a session over HTTP may have no eyes to see that it has stopped, and gives up sooner than a person. */
const PROVE_AFTER_MS = 12_000;

/**
 * A client whose machine is there. Whoever opens one leaves it. What its screens hold is on `account`, if there is one;
 * one that may not hold so much is left for good, and `account.refusal` says why.
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

/** What waits for a reader is on its account. An account that may not hold so much says so itself. [RL21] */
function hold(account: AnswerAccount, bytes: number): void {
  if (bytes <= 0) return account.release(-bytes);
  try {
    account.hold(bytes);
  } catch (error) {
    throw new ProtocolError((error as Error).message);
  }
}

/** Attached, with what it missed received; throws what HTTP is to say otherwise. */
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

/** What HTTP says of a connection that was ended for good. */
export function refusedError({ code, why }: Extract<ClientState, { name: 'refused' }>): ApiError {
  return redialAfter(code) === 'renewed'
    ? new ApiError(401, 'unauthorized', why)
    : new ApiError(502, 'bad_agent', `The machine sent data that cannot be used: ${why}`);
}

/** An agent sends no more than a window ahead of acknowledgements. [OU9] */
export const heedless = () =>
  new ApiError(502, 'bad_agent', 'The machine sent more than it was asked for. Update its agent.');

function requireOnline(client: WorkspaceClient): void {
  const { state } = client;
  if (state.name === 'refused' && state.code !== CLOSE.normal) throw refusedError(state);
  if (!isOnline(client)) throw new Refusal('agent_offline', 'The machine is not connected; try again later.');
}

/** Resolves when `condition` holds, asked after every change of the client. */
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
