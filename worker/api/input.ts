/**
 * Types input into a session and answers once the program has received it.
 *
 * Input is applied exactly once, whatever fails on the way. The bytes form the input stream of their own instance, and
 * the agent remembers how much of that stream it has accepted. With an `Idempotency-Key` the instance id is derived
 * from the key, so a repeated request finds that its input was already accepted, even through another Worker or after
 * an eviction. [IN8]
 */
import type { Context } from 'hono';
import { Refusal } from '../../protocol/errors.ts';
import { encodeFrame, type Frame } from '../../protocol/frame.ts';
import { INPUT_WINDOW_BYTES, PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { ServerMessage } from '../../protocol/messages.ts';
import { ApiError, unknownOutcome } from '../http/api-error.ts';
import type { App, Handler } from '../http/http.ts';
import { workerClock } from '../platform/worker-clock.ts';
import { base64url } from './answer/base64.ts';
import { type LinkEvents, NoAnswer, ObjectLink } from './link/object-link.ts';
import { body, bodyBytes, sessionId } from './request/request.ts';
import { inputSchema } from './request/schemas.ts';

/** The same as the input window of a client. A caller sends larger input in several requests. */
const INPUT_MAX_BYTES = INPUT_WINDOW_BYTES;
/** JSON needs up to six characters to encode one byte. */
const JSON_INPUT_MAX_BYTES = 6 * INPUT_MAX_BYTES + 1024;
const KEY_MAX_CHARS = 255;
const TYPED_WITHIN_MS = 10_000;
const RETRY_AFTER_MS = 200;

export const typeInput: Handler = async (c) => {
  const session = sessionId(c);
  const key = c.req.header('Idempotency-Key');
  if (key !== undefined && (key === '' || key.length > KEY_MAX_CHARS)) {
    throw new ApiError(400, 'bad_request', `An Idempotency-Key must have 1 to ${KEY_MAX_CHARS} characters.`);
  }
  const bytes = await inputOf(c);
  const identity =
    key === undefined
      ? { instance: crypto.randomUUID() }
      : { instance: await digest(`${session}\n${key}`), once: await digest(bytes) };
  await typeOnce(c, session, bytes, identity);
  return c.json({ bytes: bytes.length });
};

async function inputOf(c: Context<App>): Promise<Uint8Array<ArrayBuffer>> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/octet-stream') return bodyBytes(c, INPUT_MAX_BYTES);
  const { data } = await body(c, inputSchema, JSON_INPUT_MAX_BYTES);
  const bytes = new Uint8Array(new TextEncoder().encode(data));
  if (bytes.length <= INPUT_MAX_BYTES) return bytes;
  throw new ApiError(
    413,
    'too_large',
    `Input is limited to ${INPUT_MAX_BYTES} bytes per request. Send it in parts.`,
  );
}

interface Identity {
  readonly instance: string;
  readonly once?: string;
}

async function typeOnce(
  c: Context<App>,
  session: string,
  bytes: Uint8Array<ArrayBuffer>,
  identity: Identity,
): Promise<void> {
  const deadline = workerClock.now() + TYPED_WITHIN_MS;
  let epoch: string | undefined;
  for (;;) {
    const attempt = await new Attempt(c, session, bytes, identity, deadline).run(epoch);
    if (attempt.isDone) return;
    epoch = attempt.epoch ?? epoch;
    if (workerClock.now() >= deadline) throw unknownOutcome();
    await new Promise<void>((resolve) => workerClock.after(RETRY_AFTER_MS, resolve));
  }
}

/** One attempt to deliver the input, over one socket. */
class Attempt {
  readonly #c: Context<App>;
  readonly #session: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #identity: Identity;
  readonly #deadline: number;
  readonly #taken = Promise.withResolvers<'taken'>();
  /** The epoch of the agent that this attempt reached. */
  #met: string | undefined;

  constructor(
    c: Context<App>,
    session: string,
    bytes: Uint8Array<ArrayBuffer>,
    identity: Identity,
    deadline: number,
  ) {
    this.#c = c;
    this.#session = session;
    this.#bytes = bytes;
    this.#identity = identity;
    this.#deadline = deadline;
    this.#taken.promise.catch(() => {}); // may reject after nobody awaits it
  }

  /**
   * `epoch` is that of the agent that may already have received input. Input is never sent to an agent of another
   * epoch.
   */
  async run(epoch: string | undefined): Promise<{ isDone: boolean; epoch?: string | undefined }> {
    const events: LinkEvents = {
      frame: (frame) => this.#frame(frame),
      message: (message) => this.#message(message),
      lost: () => this.#taken.reject(new NoAnswer('the connection was lost')),
    };
    try {
      await ObjectLink.use(this.#c, events, (link) => this.#type(link, epoch));
      return { isDone: true };
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'agent_offline';
      // Once input may have been delivered, wait for the agent to return instead of failing.
      const mayComeBack = error instanceof NoAnswer || (isAway && epoch !== undefined);
      if (!mayComeBack) throw error;
      return { isDone: false, epoch: this.#met };
    }
  }

  async #type(link: ObjectLink, epoch: string | undefined): Promise<void> {
    const answer = await link.ask((request) => ({
      type: 'reattach_session',
      request,
      session: this.#session,
      ...this.#identity,
      hidden: true,
      exited: 'read',
    }));
    if (answer.type !== 'session_reattached') throw new Error(`invariant: ${answer.type} was no answer`);
    this.#met = answer.session.epoch;
    if (epoch !== undefined && epoch !== this.#met) throw unknownOutcome();
    if (answer.inputOffset >= this.#bytes.length) return;
    if (answer.session.status !== 'running') {
      throw new Refusal('session_exited', 'The program of this session has ended. No input was sent.');
    }
    this.#send(link, answer.handle, answer.inputOffset);
    const left = Math.max(0, this.#deadline - workerClock.now());
    const cancel = workerClock.after(left, () => this.#taken.reject(unknownOutcome()));
    await this.#taken.promise.finally(cancel);
  }

  #send(link: ObjectLink, handle: number, from: number): void {
    for (let offset = from; offset < this.#bytes.length; offset += PAYLOAD_MAX_BYTES) {
      const piece = this.#bytes.subarray(offset, offset + PAYLOAD_MAX_BYTES);
      link.send(encodeFrame({ kind: 'input', channel: 0, handle, offset }, piece));
    }
  }

  #frame(frame: Frame): void {
    if (frame.kind === 'ack' && frame.offset >= this.#bytes.length) this.#taken.resolve('taken');
  }

  /** A frame was refused. If there were several frames, an earlier one may have been accepted. */
  #message(message: ServerMessage): void {
    if (message.type !== 'error' || message.request !== undefined || message.session !== this.#session)
      return;
    const isWhole = this.#bytes.length <= PAYLOAD_MAX_BYTES;
    this.#taken.reject(isWhole ? new Refusal(message.code, message.message) : unknownOutcome());
  }
}

async function digest(of: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof of === 'string' ? new TextEncoder().encode(of) : of;
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
