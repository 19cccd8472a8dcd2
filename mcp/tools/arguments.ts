/** The arguments that several tools take. Their descriptions are read by models. */
import * as v from 'valibot';
import { IDEMPOTENCY_KEY_MAX_CHARS, MCP_CALL_MAX_MS, MCP_CALL_MS } from '../../protocol/limits.ts';
import { id } from '../../protocol/messages/message-parts.ts';

export const session = v.pipe(id, v.description('Id of a session, from list_sessions or open_session.'));

/** Not the protocol's `count`, which would add the largest safe integer to the schema. */
export const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** In less time, a command might not be typed yet, and would be refused. */
const TIMEOUT_MIN_MS = 1_000;

export const timeoutMs = v.optional(
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(TIMEOUT_MIN_MS),
    v.maxValue(MCP_CALL_MAX_MS),
    v.description(`How long to wait. Default ${MCP_CALL_MS}.`),
  ),
  MCP_CALL_MS,
);

export const idempotencyKey = v.optional(
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(IDEMPOTENCY_KEY_MAX_CHARS),
    v.description('Any text of yours. The same call with the same key is done once, and answered as before.'),
  ),
);
