/**
 * Waits for a program's end, or for something to be printed: for scripts that have typed a command and want to know
 * when it is done. The search runs here, over the output as it comes, and not in the agent: patterns are the caller's,
 * and what they cost is then paid by the caller's request and not by every shell on the machine.
 */
import type { Context } from 'hono';
import { Refusal } from '../../protocol/errors.ts';
import { FOLLOW_QUEUE_MAX_BYTES, SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';
import type { ServerMessage, ServerMessageOf } from '../../protocol/messages.ts';
import type { AttachOptions } from '../../web/client/attached-session.ts';
import { endReasonText } from '../../web/client/end-reason.ts';
import type { Beginning, Screen } from '../../web/client/screen.ts';
import type { App, Handler } from '../http.ts';
import { type AnswerAccount, answerBudget } from './answer-budget.ts';
import { ApiError } from './api-error.ts';
import { consult } from './consult.ts';
import { attach, heedless, openClient, refusedError } from './follow.ts';
import { type LinkEvents, ObjectLink } from './object-link.ts';
import { Pattern } from './pattern.ts';
import { query, sessionId } from './request.ts';
import { waitQuery } from './schemas.ts';
import { SearchPace } from './search-pace.ts';
import { searchSeats } from './search-seats.ts';
import { takeScreen } from './snapshot.ts';
import { TextSearch } from './text-search.ts';
import { workerClock } from './worker-clock.ts';

/** After a lost socket the object is asked again this much later. */
const LOOK_AGAIN_MS = 500;

export const waitForSession: Handler = async (c) => {
  const id = sessionId(c);
  const wanted = query(c, waitQuery);
  const deadline = workerClock.now() + wanted.timeout * 1000;
  if (wanted.for === 'exit') return c.json(await exitOf(c, id, deadline));
  const { text, pattern } = wanted;
  if ((text === undefined) === (pattern === undefined)) {
    throw new ApiError(400, 'bad_request', 'Say what to wait for: either text=… as it is, or pattern=….');
  }
  const search = new TextSearch(text === undefined ? new Pattern(pattern ?? '') : Pattern.literal(text));
  const leave = searchSeats.enter(c.var.principal.workspace);
  return c.json({ text: await printed(c, id, search, wanted, deadline).finally(leave) });
};

const tooLate = (what: string) =>
  new ApiError(408, 'timeout', `${what} within the time-out; it is still running. Ask again, or for longer.`);

// ── The end of the program ─────────────────────────────────────────────────────────────────────────

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The end is told to every client; what happened before we listened, the registry knows. */
async function exitOf(c: Context<App>, id: string, deadline: number): Promise<Exit> {
  for (;;) {
    const exit = await listenForExit(c, id, deadline);
    if (exit !== undefined) return { exitCode: exit.exitCode, signal: exit.signal };
    await new Promise<void>((resolve) => workerClock.after(LOOK_AGAIN_MS, resolve));
  }
}

/** Undefined when it has to be looked at anew: the socket was lost, or the machine came or went. */
function listenForExit(c: Context<App>, id: string, deadline: number): Promise<Exit | undefined> {
  const news = Promise.withResolvers<Exit | undefined>();
  news.promise.catch(() => {}); // may be late while the registry is still asked
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
  throw new Refusal('session_missing', 'The machine came back without this session; its end is not known.');
}

// ── Something printed ──────────────────────────────────────────────────────────────────────────────

async function printed(
  c: Context<App>,
  id: string,
  search: TextSearch,
  { from, since }: { readonly from: 'screen' | 'now'; readonly since?: number | undefined },
  deadline: number,
): Promise<string> {
  let options: AttachOptions = { history: 'none' };
  const pace = new SearchPace(search, workerClock);
  if (since !== undefined) {
    options = { resume: { offset: since } };
  } else if (from === 'screen') {
    const { text, offset } = await takeScreen(c, id);
    await pace.run(search.screenPieces(text));
    if (search.found !== undefined) return search.found;
    options = { resume: { offset } };
  }
  const account = answerBudget.open(c.var.principal.workspace);
  const client = await openClient(c, account);
  try {
    const outcome = Promise.withResolvers<string>();
    outcome.promise.catch(() => {}); // may be rejected while we are still attaching
    const searched = new Searched(search, pace, account, outcome);
    const session = await attach(client, id, null, searched, options);
    const look = () => {
      const { state } = session;
      // What came before the end may still wait to be read.
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

/**
 * Reads instead of showing. What comes while a piece is being read waits, unacknowledged, so that no more comes than
 * a window has room for.
 */
class Searched implements Screen {
  readonly #search: TextSearch;
  readonly #pace: SearchPace;
  readonly #account: AnswerAccount;
  readonly #outcome: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>;
  #work: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  /** What is written next is a screen … */
  #isScreen = false;
  /** … and not looked at. */
  #isPicture = false;
  #isFirst = true;

  constructor(
    search: TextSearch,
    pace: SearchPace,
    account: AnswerAccount,
    outcome: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>,
  ) {
    this.#search = search;
    this.#pace = pace;
    this.#account = account;
    this.#outcome = outcome;
  }

  /** A screen at the beginning is not what comes from now on; one that stands for lost output is looked at. */
  reset(beginning?: Beginning): void {
    this.afterwards(() => this.#search.restart());
    this.#isScreen = beginning?.kind === 'snapshot';
    this.#isPicture = beginning?.kind === 'snapshot' && this.#isFirst && beginning.lost === 0;
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const isPicture = this.#isPicture;
    const heldBytes = this.#isScreen ? bytes.length : 0;
    this.#isScreen = false;
    this.#isPicture = false;
    this.#isFirst = false;
    this.#waitingBytes += bytes.length;
    // What is lost is made good by a screen.
    if (this.#waitingBytes > FOLLOW_QUEUE_MAX_BYTES + SNAPSHOT_INFLATED_MAX_BYTES)
      return this.#outcome.reject(heedless());
    this.afterwards(async () => {
      if (!isPicture) await this.#pace.run(this.#search.outputPieces(bytes));
      this.#waitingBytes -= bytes.length;
      this.#account.release(heldBytes);
      if (this.#search.found !== undefined) this.#outcome.resolve(this.#search.found);
      shown();
    });
  }

  resize(): void {}

  /** Once everything before has been read. */
  afterwards(act: () => void | Promise<void>): void {
    this.#work = this.#work.then(act).catch((error) => this.#outcome.reject(error));
  }
}
