/**
 * Streams a session's output as Server-Sent Events: first the screen, then everything that is printed, then the exit.
 *
 * The response pulls events: an event is created only after the previous one was taken, and its output is acknowledged
 * only then.
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
import { attach } from './link/follow.ts';
import { onGivenUp } from './link/object-socket.ts';
import { openClient, refusedError } from './link/open-client.ts';
import { type Encoding, isLast, OutputEvents, type StreamEvent } from './output-events.ts';
import { query, sessionId } from './request/request.ts';
import { streamQuery } from './request/schemas.ts';

/**
 * A comment is sent when there is no output: only a write reveals that a reader has disconnected, and proxies close
 * silent connections. The Worker sends it without waking the workspace's object.
 */
const COMMENT_EVERY_MS = 5_000;

/**
 * Output that follows an event sooner than this waits and is grouped. An event costs the relay as much as some
 * kilobytes of output, and nobody reads fifty events a second.
 */
export const GATHER_MS = 20;

/**
 * How soon an `EventSource` reconnects. A relay is replaced within this time; the browsers' default of 3 to 5 s is
 * noticeable.
 */
const RETRY_AFTER_MS = 2_000;

export const streamSession: Handler = async (c) => {
  const id = sessionId(c);
  const { since, encoding } = query(c, streamQuery);
  const last = c.req.header('Last-Event-ID');
  const resume = last ? readEventId(last) : since === undefined ? undefined : { offset: since };
  if (resume !== undefined && 'isFinal' in resume && resume.isFinal) return c.body(null, 204);
  const account = openAccount(c);
  const client = await openClient(c, { account });
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
  /** Accounts for the memory of screens until the reader has taken them. */
  readonly account: AnswerAccount;
}

function respond(c: Context<App>, streamed: Streamed): Response {
  const { client, events, encoding, account } = streamed;
  watchEnd(streamed);
  let pieces: Iterator<Uint8Array> = [][Symbol.iterator]();
  // Sent with the first event, because some readers treat every block as an event.
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
  // Also called when a write fails, which is how the loss of a killed reader shows.
  onGivenUp(c, left);
  c.header('Content-Type', 'text/event-stream; charset=utf-8');
  c.header('Cache-Control', 'no-store, no-transform');
  // Some proxies buffer the whole response unless this header is set.
  c.header('X-Accel-Buffering', 'no');
  return c.body(answerBody({ next, left }));
}

/** Queues the end of the stream behind everything received before it. */
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

/** An event as it is sent: in one piece, unless it is a screen. */
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
