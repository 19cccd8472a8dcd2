/**
 * Waits for a program's exit, for certain output, or for what the agent notices: the end of a command, attention. It is
 * for scripts that have typed a command and want to know when it is done. The search runs in the Worker and not in the agent: the caller chooses the pattern, so the cost belongs
 * to the caller's request and not to every shell on the machine.
 */
import type { Context } from 'hono';
import type { AwaitedSession } from '../../../client/requests/assistant-requests.ts';
import { NoAnswer } from '../../../client/requests/requests.ts';
import { type SessionExit, sessionExit } from '../../../client/session-exit.ts';
import { textPrinted } from '../../../client/text/output-search.ts';
import { Pattern } from '../../../client/text/pattern.ts';
import { BadPattern } from '../../../client/text/pattern-program.ts';
import { TextSearch } from '../../../client/text/text-search.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel } from '../../../protocol/clock.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import { ApiError } from '../../http/api-error.ts';
import { type App, askerOf, type Handler, sharerOf } from '../../http/http.ts';
import { requestPace } from '../../metering/request-pace.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { openAccount } from '../answer/held-answer.ts';
import { attach } from '../link/follow.ts';
import { onGivenUp } from '../link/object-socket.ts';
import { badAgent, noAnswerInTime, refusedError, withApiClient } from '../link/open-client.ts';
import { waitingSeats } from '../link/waiting-seats.ts';
import { query, sessionId } from '../request/request.ts';
import { waitQuery } from '../request/schemas.ts';
import { takeScreen } from '../snapshot/snapshot.ts';
import { SearchPace } from './search-pace.ts';
import { searchSeats } from './search-seats.ts';

export const waitForSession: Handler = async (c) => {
  const id = sessionId(c);
  const wanted = query(c, waitQuery);
  const deadline = workerClock.now() + wanted.timeout * 1000;
  if (wanted.for === 'exit') return c.json(await exitOf(c, id, deadline));
  if (wanted.for !== 'text') return c.json(await noticed(c, id, wanted.for, wanted));
  return c.json({ text: await textOf(c, id, wanted, deadline) });
};

/** Resolves with the line of the match. Rejects with `timeout` (408) at the deadline. */
export async function textOf(
  c: Context<App>,
  id: string,
  wanted: WantedText,
  deadline: number,
): Promise<string> {
  const { text, pattern } = wanted;
  if ((text === undefined) === (pattern === undefined)) {
    throw new ApiError(400, 'bad_request', 'Specify what to wait for: either text=… or pattern=….');
  }
  const sought = text === undefined ? readPattern(pattern ?? '') : Pattern.literal(text);
  requestPace.charge(askerOf(c.var.principal), { patternSteps: sought.buildSteps }, workerClock.now());
  const search = new TextSearch(sought);
  const leave = searchSeats.enterFor(c);
  return printed(c, id, search, wanted, deadline).finally(leave);
}

function readPattern(source: string): Pattern {
  try {
    return new Pattern(source);
  } catch (error) {
    throw error instanceof BadPattern ? new ApiError(400, 'bad_pattern', error.message) : error;
  }
}

/** A promise that rejects with 408 at the deadline, once it was started. */
class TimeLimit {
  readonly #deadline: number;
  readonly #over = Promise.withResolvers<never>();
  #cancel: Cancel = () => {};

  constructor(deadline: number) {
    this.#deadline = deadline;
    this.#over.promise.catch(() => {}); // may reject when nobody waits any more
  }

  get over(): Promise<never> {
    return this.#over.promise;
  }

  start(what: string): void {
    this.stop();
    const left = Math.max(0, this.#deadline - workerClock.now());
    this.#cancel = workerClock.after(left, () => this.#over.reject(tooLate(what)));
  }

  stop(): void {
    this.#cancel();
  }
}

const tooLate = (what: string) =>
  new ApiError(408, 'timeout', `${what} within the time-out; it is still running. Ask again, or for longer.`);

function exitOf(c: Context<App>, id: string, deadline: number): Promise<SessionExit> {
  return withApiClient(c, {}, async (client) => {
    const limit = new TimeLimit(deadline);
    limit.start('The program has not ended');
    try {
      return await Promise.race([sessionExit(client, id), limit.over]);
    } catch (error) {
      throw error instanceof NoAnswer ? leftError(client) : error;
    } finally {
      limit.stop();
    }
  });
}

/** The agent waits, and this request holds nothing but its connection. */
async function noticed(
  c: Context<App>,
  id: string,
  what: 'command' | 'attention',
  { since, timeout }: { readonly since?: number | undefined; readonly timeout: number },
): Promise<AwaitedSession> {
  const leave = waitingSeats.enterFor(c);
  const waited = await withApiClient(c, {}, async (client) => {
    try {
      return await client.assistant.awaitSession(id, what, { waitMs: Math.round(timeout * 1000), since });
    } catch (error) {
      if (error instanceof ProtocolError) throw badAgent(`${error.message}.`);
      if (!(error instanceof NoAnswer)) throw error;
      throw client.state.name === 'refused' ? refusedError(client.state) : noAnswerInTime();
    }
  }).finally(leave);
  if (waited.command !== undefined || waited.attention !== undefined) return waited;
  const nothing = what === 'command' ? 'No command has ended' : 'The session has wanted no attention';
  throw new ApiError(
    408,
    'timeout',
    `${nothing} within the time-out. Ask again with since=${waited.offset}, or for longer.`,
  );
}

const leftError = ({ state }: WorkspaceClient) =>
  state.name === 'refused' ? refusedError(state) : new Error(`invariant: the client is ${state.name}`);

/** Exactly one of `text` and `pattern`. */
interface WantedText {
  readonly text?: string | undefined;
  readonly pattern?: string | undefined;
  readonly from: 'screen' | 'now';
  readonly since?: number | undefined;
}

/**
 * Looks at the screen and follows the output, over one client. The time-out counts once the screen has arrived, or the
 * session is attached: even without time, a caller learns what an ordinary screen shows.
 */
async function printed(
  c: Context<App>,
  id: string,
  search: TextSearch,
  { from, since }: WantedText,
  deadline: number,
): Promise<string> {
  const pace = new SearchPace(search, sharerOf(c.var.principal), workerClock);
  onGivenUp(c, () => pace.abandon());
  const account = openAccount(c);
  const limit = new TimeLimit(deadline);
  const counts = <T>(ready: T): T => {
    limit.start('That was not printed');
    return ready;
  };
  try {
    return await withApiClient(c, { account }, (client) => {
      const found = textPrinted({
        ...{ client, id, search, since },
        run: (pieces) => pace.run(pieces),
        release: (bytes) => account.release(bytes),
        ...(from === 'screen' ? { takeScreen: () => takeScreen(c, client, account, id).then(counts) } : {}),
        attach: (screen, options) => {
          limit.stop(); // attaching has a limit of its own
          return attach(client, id, null, screen, options).then(counts);
        },
        refused: () => account.refusal ?? leftError(client),
      });
      return Promise.race([found, limit.over]);
    });
  } catch (error) {
    throw error instanceof ProtocolError ? heedless() : error;
  } finally {
    limit.stop();
    account.close();
  }
}

/** An agent sends at most one window ahead of acknowledgements. [OU9] */
const heedless = () =>
  new ApiError(502, 'bad_agent', 'The machine sent more than was requested. Update its agent.');
