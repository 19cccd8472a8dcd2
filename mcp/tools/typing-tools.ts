/** `type` and `keys`: two ways to use the keyboard of a session. A text is pasted, keys are pressed. */
import * as v from 'valibot';
import { MCP_KEYS_MAX, TYPED_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import { KEY_NAMES, keyBytes } from '../../protocol/terminal/keyboard/key-names.ts';
import { type ToolAnswer, type ToolCall, tool } from '../call/tool.ts';
import { ToolError } from '../call/tool-error.ts';
import { idempotencyKey, session, whole } from './arguments.ts';

/** Another assistant may have the keyboard for half a minute after its last call. With a reconnect: within a call. */
const TYPED_WITHIN_MS = 40_000;

/** Longer names are not names. */
const KEY_NAME_MAX_CHARS = 16;

const output = v.object({
  offset: v.pipe(whole, v.description('The output had this length; read what follows with since.')),
});

export const typeTool = tool({
  name: 'type',
  title: 'Type a text',
  description:
    'Pastes a text into the program in the foreground. It does not press Enter: use `keys`. To run a command in a shell, use `run`.',
  input: v.strictObject({
    session,
    text: v.pipe(v.string(), v.minLength(1), v.maxLength(TYPED_TEXT_MAX_CHARS)),
    idempotencyKey,
  }),
  output,
  call: ({ text, ...at }, call) => typed(call, { ...at, text, paste: true }),
});

export const keysTool = tool({
  name: 'keys',
  title: 'Press keys',
  description: `Presses keys, in order, such as ["y", "enter"] or ["ctrl-c"]. Keys: ${KEY_NAMES}.`,
  input: v.strictObject({
    session,
    keys: v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(KEY_NAME_MAX_CHARS))),
      v.minLength(1),
      v.maxLength(MCP_KEYS_MAX),
    ),
    idempotencyKey,
  }),
  output,
  call: ({ keys, ...at }, call) => typed(call, { ...at, text: keys.map(pressed).join(''), paste: false }),
});

function pressed(name: string): string {
  const bytes = keyBytes(name);
  if (bytes !== undefined) return bytes;
  throw new ToolError('bad_request', `There is no key ${JSON.stringify(name)}. Keys: ${KEY_NAMES}.`);
}

interface Typing {
  readonly session: string;
  readonly text: string;
  readonly paste: boolean;
  readonly idempotencyKey?: string | undefined;
}

async function typed(
  { host, actor, holder }: ToolCall,
  { session, text, paste, idempotencyKey: key = host.newKey() }: Typing,
): Promise<ToolAnswer<{ offset: number }>> {
  const act = await host.digest(`type\n${session}\n${key}`);
  const offset = await host.withClient((client) =>
    client.assistant.typeText(session, text, { act, actor, holder, paste, withinMs: TYPED_WITHIN_MS }),
  );
  return { facts: { offset }, text: `Typed. What follows: read with since=${offset}.` };
}
