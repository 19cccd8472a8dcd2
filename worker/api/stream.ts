/**
 * A session's output as Server-Sent Events: the screen, then everything that is printed, then the end.
 *
 * The response pulls: an event is made when the one before has been taken, and only then is its output acknowledged.
 */
import type { Context } from 'hono';
import type { AttachedSession } from '../../web/client/attached-session.ts';
import type { ClientState, WorkspaceClient } from '../../web/client/workspace-client.ts';
import type { App, Handler } from '../http.ts';
import { answerBody } from './answer-body.ts';
import { readEventId, writeEventId } from './event-id.ts';
import { attach, openClient, refusedError } from './follow.ts';
import { onGivenUp } from './object-socket.ts';
import { isLast, OutputEvents, type StreamEvent } from './output-events.ts';
import { query, sessionId } from './request.ts';
import { streamQuery } from './schemas.ts';
import { workerClock } from './worker-clock.ts';

/**
 * A reader that is gone is noticed by writing to it, and a proxy closes what is silent; so a comment goes out in
 * silence. It comes from the Worker and wakes nobody.
 */
export const COMMENT_EVERY_MS = 5_000;

export const streamSession: Handler = async (c) => {
  const id = sessionId(c);
  const { since, encoding } = query(c, streamQuery);
  const last = c.req.header('Last-Event-ID');
  const resume = last ? readEventId(last) : since === undefined ? undefined : { offset: since };
  if (resume !== undefined && 'isFinal' in resume && resume.isFinal) return c.body(null, 204);
  const client = await openClient(c);
  const events = new OutputEvents(encoding, resume?.offset ?? 0, () => client.attached(id)?.epoch ?? '');
  try {
    const session = await attach(client, id, null, events, resume === undefined ? {} : { resume });
    return respond(c, client, session, events);
  } catch (error) {
    client.leave();
    throw error;
  }
};

function respond(
  c: Context<App>,
  client: WorkspaceClient,
  session: AttachedSession,
  events: OutputEvents,
): Response {
  watchEnd(client, session, events);
  const encoder = new TextEncoder();
  let taken = () => {};
  let isOver = false;
  const left = () => client.leave();
  const next = async () => {
    taken();
    taken = () => {};
    if (isOver) return undefined;
    const told = events.take() ?? (await comesWithin(COMMENT_EVERY_MS, events));
    if (told === undefined) return encoder.encode(': still here\n\n');
    taken = told.taken;
    isOver = isLast(told.event);
    return encoder.encode(written(told.event));
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
function watchEnd(client: WorkspaceClient, session: AttachedSession, events: OutputEvents): void {
  let isOver = false;
  const look = () => {
    if (isOver) return;
    const { state } = session;
    if (state.name === 'exited') events.exited(state.exitCode, state.signal);
    else if (state.name === 'gone') events.failed(state.code, state.why);
    else if (client.state.name === 'refused') events.failed(...failureOf(client.state));
    else return;
    isOver = true;
  };
  client.onChange(look);
  look();
}

function failureOf(state: Extract<ClientState, { name: 'refused' }>): [code: string, why: string] {
  const { code, message } = refusedError(state);
  return [code, message];
}

async function comesWithin(ms: number, events: OutputEvents): Promise<ReturnType<OutputEvents['take']>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = workerClock.after(ms, resolve);
  events.onMore(resolve);
  await promise.finally(cancel);
  return events.take();
}

function written({ name, data, offset, epoch }: StreamEvent): string {
  const id = writeEventId({ epoch, offset, isFinal: name === 'exit' });
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
