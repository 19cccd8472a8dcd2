/**
 * Waits for a program's exit or for certain output. It is for scripts that have typed a command and want to know when
 * it is done. The search runs in the Worker and not in the agent: the caller chooses the pattern, so the cost belongs
 * to the caller's request and not to every shell on the machine.
 */
import type { Context } from 'hono';
import type { AttachOptions } from '../../../client/attached-session.ts';
import { endReasonText } from '../../../client/end-reason.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { ServerMessage, ServerMessageOf } from '../../../protocol/server-message.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App, Handler } from '../../http/http.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { openAccount } from '../answer/held-answer.ts';
import { consult } from '../link/consult.ts';
import { attach, openClient, refusedError } from '../link/follow.ts';
import { type LinkEvents, ObjectLink } from '../link/object-link.ts';
import { query, sessionId } from '../request/request.ts';
import { waitQuery } from '../request/schemas.ts';
import { takeScreen } from '../snapshot/snapshot.ts';
import { Pattern } from './pattern.ts';
import { SearchPace } from './search-pace.ts';
import { searchSeats } from './search-seats.ts';
import { LeadGone, SearchedOutput } from './searched-output.ts';
import { TextSearch } from './text-search.ts';

/**
 * Output requested before the searched part, to detect whether that begins inside a sequence. Most sequences are
 * shorter.
 */
const LEAD_BYTES = 4096;

/** Delay before asking the object again after a lost socket. */
const LOOK_AGAIN_MS = 500;

export const waitForSession: Handler = async (c) => {
  const id = sessionId(c);
  const wanted = query(c, waitQuery);
  const deadline = workerClock.now() + wanted.timeout * 1000;
  if (wanted.for === 'exit') return c.json(await exitOf(c, id, deadline));
  const { text, pattern } = wanted;
  if ((text === undefined) === (pattern === undefined)) {
    throw new ApiError(400, 'bad_request', 'Specify what to wait for: either text=… or pattern=….');
  }
  const search = new TextSearch(text === undefined ? new Pattern(pattern ?? '') : Pattern.literal(text));
  const leave = searchSeats.enterFor(c);
  return c.json({ text: await printed(c, id, search, wanted, deadline).finally(leave) });
};

const tooLate = (what: string) =>
  new ApiError(408, 'timeout', `${what} within the time-out; it is still running. Ask again, or for longer.`);

// ── Waiting for the exit ───────────────────────────────────────────────────────────────────────────

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Every client is told of an exit. The registry knows of one that happened before this request listened. */
async function exitOf(c: Context<App>, id: string, deadline: number): Promise<Exit> {
  for (;;) {
    const exit = await listenForExit(c, id, deadline);
    if (exit !== undefined) return { exitCode: exit.exitCode, signal: exit.signal };
    await new Promise<void>((resolve) => workerClock.after(LOOK_AGAIN_MS, resolve));
  }
}

/** Undefined when the state must be read again: the socket was lost, or the agent connected or disconnected. */
function listenForExit(c: Context<App>, id: string, deadline: number): Promise<Exit | undefined> {
  const news = Promise.withResolvers<Exit | undefined>();
  news.promise.catch(() => {}); // may reject while the registry is still being asked
  const events: LinkEvents = {
    message: (message) => {
      if (isExit(message, id)) news.resolve(message);
      else if (message.type === 'agent_state' && isGreeted) news.resolve(undefined);
    },
    lost: () => news.resolve(undefined),
  };
  let isGreeted = false;
  return ObjectLink.use(c, events, async () => {
    isGreeted = true;
    const known = await exitKnown(c, id);
    if (known !== undefined) return known;
    const left = Math.max(0, deadline - workerClock.now());
    const cancel = workerClock.after(left, () => news.reject(tooLate('The program has not ended')));
    return news.promise.finally(cancel);
  });
}

function isExit(message: ServerMessage, id: string): message is ServerMessageOf<'session_exited'> {
  return message.type === 'session_exited' && message.session === id;
}

async function exitKnown(c: Context<App>, id: string): Promise<Exit | undefined> {
  const session = await consult(c, (object, caller) => object.session(caller, id));
  if (session === null) throw new Refusal('session_missing', 'This workspace has no session with this id.');
  if (session.status === 'running') return undefined;
  const { endedBy, exitCode, signal, status } = session;
  if (endedBy !== undefined)
    throw new Refusal('session_missing', `This session was ended: ${endReasonText(endedBy)}.`);
  if (status === 'exited') return { exitCode, signal };
  throw new Refusal(
    'session_missing',
    'The machine came back without this session; how it ended is not known.',
  );
}

// ── Waiting for output ─────────────────────────────────────────────────────────────────────────────

async function printed(
  c: Context<App>,
  id: string,
  search: TextSearch,
  { from, since }: { readonly from: 'screen' | 'now'; readonly since?: number | undefined },
  deadline: number,
): Promise<string> {
  const pace = new SearchPace(search, workerClock);
  let start = since;
  if (since === undefined && from === 'screen') {
    const { text, offset } = await takeScreen(c, id);
    await pace.run(search.screenPieces(text));
    if (search.found !== undefined) return search.found;
    start = offset;
  }
  const following = { c, id, search, pace, deadline };
  if (start === undefined) return follow(following, { history: 'none' }, 0);
  const lead = Math.min(start, LEAD_BYTES);
  try {
    return await follow(following, { resume: { offset: start - lead } }, lead);
  } catch (error) {
    if (!(error instanceof LeadGone)) throw error;
    return follow(following, { resume: { offset: start } }, 0);
  }
}

interface Following {
  readonly c: Context<App>;
  readonly id: string;
  readonly search: TextSearch;
  readonly pace: SearchPace;
  readonly deadline: number;
}

/** Resolves to the line with the match. `options` say where the output begins; the lead comes before it. */
async function follow(
  { c, id, search, pace, deadline }: Following,
  options: AttachOptions,
  leadBytes: number,
): Promise<string> {
  const account = openAccount(c);
  const client = await openClient(c, account);
  try {
    const outcome = Promise.withResolvers<string>();
    outcome.promise.catch(() => {}); // may reject while still attaching
    const searched = new SearchedOutput({ search, pace, account, outcome, leadBytes });
    const session = await attach(client, id, null, searched, options);
    searched.caughtUp();
    const look = () => {
      const { state } = session;
      // Output from before the exit may still wait to be searched.
      if (state.name === 'exited')
        searched.afterwards(() =>
          outcome.reject(new Refusal('session_exited', 'The program has ended without printing that.')),
        );
      if (state.name === 'gone') outcome.reject(new Refusal(state.code, state.why));
      if (client.state.name === 'refused') outcome.reject(account.refusal ?? refusedError(client.state));
    };
    client.onChange(look);
    look();
    const left = Math.max(0, deadline - workerClock.now());
    const cancel = workerClock.after(left, () => outcome.reject(tooLate('That was not printed')));
    return await outcome.promise.finally(cancel);
  } finally {
    client.leave();
    account.close();
  }
}
