/** Reads a request's body, query and session id, each validated by a schema. */
import type { Context } from 'hono';
import * as v from 'valibot';
import { Refusal } from '../../../protocol/errors.ts';
import { JSON_VALUES_MAX } from '../../../protocol/limits.ts';
import { id as idSchema } from '../../../protocol/messages/message-parts.ts';
import { ApiError } from '../../http/api-error.ts';
import { readBody } from '../../http/body.ts';
import { type App, askerOf } from '../../http/http.ts';
import { requestPace } from '../../metering/request-pace.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { hasMoreValues } from './json-values.ts';
import { JSON_MAX_BYTES } from './schemas.ts';

export async function body<S extends v.GenericSchema>(
  c: Context<App>,
  schema: S,
  maxBytes = JSON_MAX_BYTES,
): Promise<v.InferOutput<S>> {
  const text = decode(await bodyBytes(c, maxBytes));
  const sent = parseJson(text === '' ? '{}' : text);
  // To the schemas an array is an object with all fields missing, and they would fill in defaults.
  if (Array.isArray(sent)) throw new ApiError(400, 'bad_request', 'Bad request: the body must be an object.');
  return checked(schema, sent, 'body');
}

/** Any JSON value, which the caller checks. */
export async function jsonValue(c: Context<App>, maxBytes: number): Promise<unknown> {
  return parseJson(decode(await bodyBytes(c, maxBytes)));
}

/** The body as it was sent. A long body counts as several requests, even when it is refused for its length. [RL24] */
export async function bodyBytes(c: Context<App>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = maxBytes;
  try {
    const read = await readBody(c.req.raw, maxBytes, c.var.principal.workspace);
    bytes = read.length;
    return read;
  } finally {
    requestPace.charge(askerOf(c.var.principal), { bodyBytes: bytes }, workerClock.now());
  }
}

export function query<S extends v.GenericSchema>(c: Context<App>, schema: S): v.InferOutput<S> {
  return checked(schema, c.req.query(), 'query');
}

/** A malformed id is answered like an unknown session. */
export function sessionId(c: Context<App>): string {
  const id = c.req.param('id') ?? '';
  if (v.is(idSchema, id)) return id;
  throw new Refusal('session_missing', 'This is not a valid session id.');
}

/** A malformed number is answered like that of an unknown command. */
export function commandNumber(c: Context<App>): number {
  const number = c.req.param('number') ?? '';
  if (/^\d{1,12}$/.test(number)) return Number(number);
  throw new Refusal('command_unknown', 'This is not the number of a command.');
}

/** The message names the field and what is expected, never the value, which may be a secret. */
function checked<S extends v.GenericSchema>(schema: S, input: unknown, where: string): v.InferOutput<S> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue);
  const must = issue.expected === 'never' ? 'is not a known field' : `must be ${issue.expected ?? 'valid'}`;
  const what = field === null ? `the ${where}` : `${field} in the ${where}`;
  throw new ApiError(400, 'bad_request', `Bad request: ${what} ${must}.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ApiError(400, 'bad_json', 'The body is not UTF-8.');
  }
}

function parseJson(text: string): unknown {
  if (hasMoreValues(text, JSON_VALUES_MAX))
    throw new ApiError(400, 'bad_json', `The body has more than ${JSON_VALUES_MAX} values.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'bad_json', 'The body is not JSON.');
  }
}
