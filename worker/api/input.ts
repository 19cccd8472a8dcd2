/**
 * Types input into a session and answers once the program has received it.
 *
 * Input is applied exactly once, whatever fails on the way. The bytes form the input stream of their own instance, and
 * the agent remembers how much of that stream it has accepted. With an `Idempotency-Key` the instance id is derived
 * from the key, so a repeated request finds that its input was already accepted, even through another Worker or after
 * an eviction. [IN8]
 */
import type { Context } from 'hono';
import type { TypeOptions } from '../../client/requests/input-request.ts';
import { NoAnswer } from '../../client/requests/requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { INPUT_WINDOW_BYTES } from '../../protocol/limits.ts';
import { ApiError, unknownOutcome } from '../http/api-error.ts';
import type { App, Handler } from '../http/http.ts';
import { refusedError, withApiClient } from './link/open-client.ts';
import { digestOf, holderOf, idempotencyKey } from './request/idempotency.ts';
import { body, bodyBytes, sessionId } from './request/request.ts';
import { inputSchema } from './request/schemas.ts';

/** The same as the input window of a client. A caller sends larger input in several requests. */
const INPUT_MAX_BYTES = INPUT_WINDOW_BYTES;
/** JSON needs up to six characters to encode one byte. */
const JSON_INPUT_MAX_BYTES = 6 * INPUT_MAX_BYTES + 1024;
const TYPED_WITHIN_MS = 10_000;

export const typeInput: Handler = async (c) => {
  const session = sessionId(c);
  const key = idempotencyKey(c);
  const bytes = await inputOf(c);
  const identity =
    key === undefined
      ? { instance: crypto.randomUUID(), once: undefined }
      : { instance: await digestOf(`${session}\n${key}`), once: await digestOf(bytes) };
  const holder = await holderOf(c);
  const { once } = identity;
  const options = { withinMs: TYPED_WITHIN_MS, holder, ...(once === undefined ? {} : { once }) };
  await withApiClient(c, identity, (client) => type(client, session, bytes, options));
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

async function type(
  client: WorkspaceClient,
  session: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: TypeOptions,
): Promise<void> {
  try {
    await client.requests.typeOnce(session, bytes, options);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw client.state.name === 'refused' ? refusedError(client.state) : unknownOutcome();
  }
}
