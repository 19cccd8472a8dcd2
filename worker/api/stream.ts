/**
 * A session's output as Server-Sent Events: the screen, then everything that is printed, then the end.
 *
 * The response pulls: an event is made when the one before has been taken, and only then is its output acknowledged.
 */
import type { Context } from 'hono';
import type { AttachedSession } from '../../client/attached-session.ts';
import type { ClientState, WorkspaceClient } from '../../client/workspace-client.ts';
import type { App, Handler } from '../http/http.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { answerBody } from './answer/answer-body.ts';
import { inPieces, jsonWithBase64, jsonWithData, openAccount } from './answer/held-answer.ts';
import { readEventId, writeEventId } from './event-id.ts';
import type { AnswerAccount } from './link/answer-budget.ts';
import { attach, openClient, refusedError } from './link/follow.ts';
import { onGivenUp } from './link/object-socket.ts';
import { type Encoding, isLast, OutputEvents, type StreamEvent } from './output-events.ts';
import { query, sessionId } from './request/request.ts';
import { streamQuery } from './request/schemas.ts';

/**
 * A reader that is gone is noticed by writing to it, and a proxy closes what is silent; so a comment goes out in
 * silence. It comes from the Worker and wakes nobody.
 */
const COMMENT_EVERY_MS = 5_000;

/**
 * Output that follows an event sooner than this is told together with what comes meanwhile. An event costs the relay as much as some
 * kilobytes do, and nobody reads fifty of them a second.
 */
export const GATHER_MS = 20;

/** How soon an `EventSource` that was cut comes back: a relay is replaced within this. Browsers' own 3 to 5 s are felt. */
export const RETRY_AFTER_MS = 2_000;

export const streamSession: Handler = async (c) => {
  const id = sessionId(c);
  const { since, encoding } = query(c, streamQuery);
  const last = c.req.header('Last-Event-ID');
  const resume = last ? readEventId(last) : since === undefined ? undefined : { offset: since };
  if (resume !== undefined && 'isFinal' in resume && resume.isFinal) return c.body(null, 204);
  const account = openAccount(c);
  const client = await openClient(c, account);
  const events = new OutputEvents(encoding, resume?.offset ?? 0, () => client.attached(id)?.epoch ?? '');
  try {
    const session = await attach(client, id, null, events, resume === undefined ? {} : { resume });
    return respond(c, { client, session, events, encoding, account });
  } catch (error) {
    client.leave();
    account.close();
    throw error;
  }
};

interface Streamed {
  readonly client: WorkspaceClient;
  readonly session: AttachedSession;
  readonly events: OutputEvents;
  readonly encoding: Encoding;
  /** What its screens hold until they were taken. */
  readonly account: AnswerAccount;
}

function respond(c: Context<App>, streamed: Streamed): Response {
  const { client, events, encoding, account } = streamed;
  watchEnd(streamed);
  let pieces: Iterator<Uint8Array> = [][Symbol.iterator]();
  // In the first event and not before it: some readers take every block for an event.
  let preface = `retry: ${RETRY_AFTER_MS}\n`;
  let taken = () => {};
  let isOver = false;
  let gathersUntil = 0;
  const left = () => {
    client.leave();
    account.close();
  };
  const next = async () => {
    const piece = pieces.next();
    if (!piece.done) return piece.value;
    taken();
    taken = () => {};
    if (isOver) return undefined;
    const waitMs = gathersUntil - workerClock.now();
    if (waitMs > 0 && !events.hasMuch) await pause(waitMs);
    const told = events.take() ?? (await comesWithin(COMMENT_EVERY_MS, events));
    if (told === undefined) return encode(': still here\n\n');
    gathersUntil = workerClock.now() + GATHER_MS;
    const { screen } = told.event;
    taken = () => {
      if (screen !== undefined) account.release(screen.length);
      told.taken();
    };
    isOver = isLast(told.event);
    pieces = written(told.event, encoding, preface);
    preface = '';
    return pieces.next().value;
  };
  // Also when a write to the reader has failed, which is how one that was killed shows.
  onGivenUp(c, left);
  c.header('Content-Type', 'text/event-stream; charset=utf-8');
  c.header('Cache-Control', 'no-store, no-transform');
  // Some proxies keep a response back until it is complete unless told otherwise.
  c.header('X-Accel-Buffering', 'no');
  return c.body(answerBody({ next, left }));
}

/** Puts the end behind all that was received before it. */
function watchEnd({ client, session, events, account }: Streamed): void {
  let isOver = false;
  const look = () => {
    if (isOver) return;
    const { state } = session;
    if (state.name === 'exited') events.exited(state.exitCode, state.signal);
    else if (state.name === 'gone') events.failed(state.code, state.why);
    else if (client.state.name === 'refused') events.failed(...failureOf(client.state, account));
    else return;
    isOver = true;
  };
  client.onChange(look);
  look();
}

function failureOf(
  state: Extract<ClientState, { name: 'refused' }>,
  account: AnswerAccount,
): [code: string, why: string] {
  const { code, message } = account.refusal ?? refusedError(state);
  return [code, message];
}

async function comesWithin(ms: number, events: OutputEvents): Promise<ReturnType<OutputEvents['take']>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = workerClock.after(ms, resolve);
  events.onMore(resolve);
  await promise.finally(cancel);
  return events.take();
}

const pause = (ms: number) => new Promise<void>((resolve) => void workerClock.after(ms, resolve));

const encode = (text: string) => new TextEncoder().encode(text);

/** An event as it is sent, in one piece unless it is a screen. */
function written(
  { name, data, screen, offset, epoch }: StreamEvent,
  encoding: Encoding,
  preface: string,
): Iterator<Uint8Array> {
  const id = writeEventId({ epoch, offset, isFinal: name === 'exit' });
  const around = { before: `${preface}event: ${name}\nid: ${id}\ndata: `, after: '\n\n' };
  if (screen === undefined)
    return [encode(`${around.before}${JSON.stringify(data)}${around.after}`)][Symbol.iterator]();
  return encoding === 'base64'
    ? jsonWithBase64(screen, data, around)
    : jsonWithData(inPieces(screen), data, around);
}
