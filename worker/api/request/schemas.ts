/**
 * The schemas of the API's requests and answers, each declared once. Handlers validate with them, and /api/openapi.json
 * is generated from them. The texts in `v.description` are for readers of that document.
 */
import * as v from 'valibot';
import { errorReplySchema } from '../../../protocol/error-reply.ts';
import {
  ACTOR_MAX_CHARS,
  ARGS_MAX,
  AUDIT_PAGE_MAX_ROWS,
  AWAIT_MAX_MS,
  CLIENT_CONTROL_MAX_BYTES,
  ENV_NAME_MAX_CHARS,
  ENV_VARIABLES_MAX,
  PATTERN_MAX_CHARS,
  PUSH_ENDPOINT_MAX_CHARS,
  PUSH_MUTES_MAX,
  RUN_WAIT_DEFAULT_MS,
  SIZE_MAX_CELLS,
  TYPED_TEXT_MAX_CHARS,
} from '../../../protocol/limits.ts';
import { attentionSchema } from '../../../protocol/messages/attention.ts';
import { SENT_SIGNALS } from '../../../protocol/messages/client-message.ts';
import { sessionCommandSchema } from '../../../protocol/messages/command-info.ts';
import { sessionDigestSchema } from '../../../protocol/messages/digest.ts';
import {
  argument,
  cells,
  id,
  name,
  path,
  snapshotFormat,
  time,
} from '../../../protocol/messages/message-parts.ts';
import { runStateSchema } from '../../../protocol/messages/run-state.ts';
import { sessionInfoSchema } from '../../../protocol/messages/session-info.ts';

/** A body within this limit becomes a control message within its limit: our JSON is never longer than the caller's. */
export const JSON_MAX_BYTES = CLIENT_CONTROL_MAX_BYTES - 512;

export const createSchema = v.strictObject({
  name: v.optional(name),
  key: v.optional(
    v.pipe(
      name,
      v.minLength(1),
      v.description('At most one live session has this key; a second request finds it.'),
    ),
  ),
  command: v.optional(path),
  args: v.optional(v.pipe(v.array(argument), v.maxLength(ARGS_MAX))),
  cwd: v.optional(path),
  env: v.optional(
    v.pipe(
      v.record(v.pipe(v.string(), v.maxLength(ENV_NAME_MAX_CHARS)), argument),
      v.maxEntries(ENV_VARIABLES_MAX),
      v.description('Variables in addition to those of the agent; none that run or load code.'),
    ),
  ),
  cols: v.optional(cells, 80),
  rows: v.optional(cells, 24),
});

/** What `PushSubscription.toJSON()` of a browser returns, and which sessions it does not want to hear of. */
export const subscriptionSchema = v.strictObject({
  endpoint: v.pipe(v.string(), v.maxLength(PUSH_ENDPOINT_MAX_CHARS)),
  expirationTime: v.optional(v.nullable(v.number())),
  keys: v.strictObject({ p256dh: v.pipe(v.string(), v.length(87)), auth: v.pipe(v.string(), v.length(22)) }),
  muted: v.optional(
    v.pipe(v.array(id), v.maxLength(PUSH_MUTES_MAX), v.description('Sessions of which it is not told.')),
    [],
  ),
});

export const renameSchema = v.strictObject({ name: v.pipe(name, v.minLength(1)) });
export const resizeSchema = v.strictObject({ cols: cells, rows: cells });
export const inputSchema = v.strictObject({ data: v.string() });
export const runSchema = v.strictObject({
  command: v.pipe(v.string(), v.minLength(1), v.maxLength(TYPED_TEXT_MAX_CHARS)),
  timeoutMs: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.maxValue(AWAIT_MAX_MS),
      v.description('How long to wait for its end; then the answer is `running`.'),
    ),
    RUN_WAIT_DEFAULT_MS,
  ),
  actor: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(ACTOR_MAX_CHARS),
      v.description('Who runs it, for people who look at the session; by default the name of the token.'),
    ),
  ),
});
export const signalSchema = v.strictObject({ signal: v.picklist(SENT_SIGNALS) });

/** A number in a query string. */
const whole = v.pipe(v.string(), v.digits(), v.transform(Number), v.safeInteger());

export const commandOutputQuery = v.object({ format: v.optional(snapshotFormat, 'ansi') });
export const commandListSchema = v.object({
  commands: v.pipe(v.array(sessionCommandSchema), v.description('Oldest first.')),
});
export const snapshotQuery = v.object({
  format: v.optional(snapshotFormat, 'ansi'),
  scope: v.optional(
    v.pipe(v.picklist(['screen', 'all']), v.description('`screen`: without the history above it.')),
    'all',
  ),
});

export const streamQuery = v.object({
  since: v.optional(v.pipe(whole, v.description('Resume at this offset instead of with a snapshot.'))),
  encoding: v.optional(v.picklist(['utf8', 'base64']), 'utf8'),
});

/** Longer than any build; a wait must not hold a request open for ever. */
const WAIT_MAX_S = 86_400;

export const waitQuery = v.object({
  for: v.picklist(['exit', 'text', 'command', 'attention']),
  text: v.optional(
    v.pipe(v.string(), v.minLength(1), v.maxLength(PATTERN_MAX_CHARS), v.description('Matched literally.')),
  ),
  pattern: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(PATTERN_MAX_CHARS),
      v.description(
        'A regular expression without back references and look-around; ^ and $ are ends of lines.',
      ),
    ),
  ),
  from: v.optional(
    v.pipe(
      v.picklist(['screen', 'now']),
      v.description('`now`: text that is already on the screen does not count.'),
    ),
    'screen',
  ),
  since: v.optional(
    v.pipe(
      whole,
      v.description(
        'Search the output from this offset on, not the screen; or ignore commands and attention before it.',
      ),
    ),
  ),
  timeout: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}(\.\d{1,3})?$/),
      v.transform(Number),
      v.maxValue(WAIT_MAX_S),
      v.description('Seconds.'),
    ),
    '30',
  ),
});

export const listQuery = v.object({
  key: v.optional(name),
  include: v.optional(v.literal('lost')),
});

export const digestQuery = v.object({
  since: v.pipe(time, v.description('What happened at or after this moment.')),
});

export const auditQuery = v.object({
  since: v.optional(
    v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.transform((text) => Date.parse(text)),
      v.description('Entries that happened at or after this moment.'),
    ),
  ),
  before: v.optional(v.pipe(whole, v.description('Entries older than the one with this id: the next page.'))),
  session: v.optional(v.pipe(id, v.description('Entries of this session, also a closed one.'))),
  limit: v.optional(v.pipe(whole, v.minValue(1), v.maxValue(AUDIT_PAGE_MAX_ROWS)), '100'),
});

export const terminalQuery = v.object({
  workspace: v.string(),
  cols: v.optional(v.pipe(whole, v.minValue(1), v.maxValue(SIZE_MAX_CELLS)), '80'),
  rows: v.optional(v.pipe(whole, v.minValue(1), v.maxValue(SIZE_MAX_CELLS)), '24'),
});

// ── Answers ────────────────────────────────────────────────────────────────────────────────────────

/** Not the protocol's `count`, which would add the largest safe integer to the document. */
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const timeOrNull = v.nullable(time);

export const errorSchema = errorReplySchema;
export const sessionSchema = sessionInfoSchema;
const agentSchema = v.object({
  state: v.picklist(['online', 'offline']),
  since: timeOrNull,
  lastSeen: v.optional(timeOrNull),
  epoch: v.nullable(v.string()),
  generation: count,
  trouble: v.optional(
    v.pipe(v.string(), v.description('Why the agent was started with less than was kept for it.')),
  ),
});
export const healthSchema = v.object({ status: v.literal('ok'), version: v.string() });
export const sessionListSchema = v.object({ agent: agentSchema, sessions: v.array(sessionSchema) });
export const workspaceHealthSchema = v.object({
  agent: agentSchema,
  sessions: v.object({ running: count, orphaned: count, exited: count }),
  clients: count,
});
export const pushKeySchema = v.object({ key: v.string() });
export const subscribedSchema = v.object({ id: v.string() });
export const sizeSchema = v.object({ cols: cells, rows: cells });
export const typedSchema = v.object({
  bytes: v.pipe(count, v.description('How many bytes were written to the terminal.')),
});
export const snapshotSchema = v.object({
  data: v.string(),
  cols: cells,
  rows: cells,
  offset: v.pipe(
    count,
    v.description('The snapshot includes the output up to this offset; `since` continues from there.'),
  ),
  cursor: v.optional(
    v.pipe(
      v.object({ row: cells, col: cells }),
      v.description('With `format=text` and `scope=screen`: the cell of the cursor, counted from 1.'),
    ),
  ),
  truncated: v.optional(
    v.pipe(
      v.boolean(),
      v.description('The oldest lines of the history are left out, because it is too large.'),
    ),
  ),
});
const exitSchema = v.object({ exitCode: v.nullable(v.number()), signal: v.nullable(v.string()) });
const foundSchema = v.object({
  text: v.pipe(v.string(), v.description('The line that matched, up to the end of the match.')),
});
const offset = v.pipe(count, v.description('The end of the output; `since` continues from there.'));
export const waitedSchema = v.union([
  exitSchema,
  foundSchema,
  v.object({ command: sessionCommandSchema, offset }),
  v.object({ attention: attentionSchema, offset }),
]);
export const runAnswerSchema = runStateSchema;
export const signalledSchema = v.object({
  program: v.pipe(
    v.nullable(v.string()),
    v.description('The program that got the signal, if its name is known.'),
  ),
});
export const digestSchema = v.object({ sessions: v.array(sessionDigestSchema) });
