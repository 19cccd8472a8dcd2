/** Every message of the protocol, encoded and decoded; and what a decoder refuses. */
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../protocol/errors.ts';
import { parseAgentMessage, parseRelayMessage } from '../../protocol/messages/agent-message.ts';
import { parseClientMessage } from '../../protocol/messages/client-message.ts';
import { parseServerMessage } from '../../protocol/messages/server-message.ts';
import { AGENT_MESSAGES, CLIENT_MESSAGES, RELAY_MESSAGES, SERVER_MESSAGES } from './message-examples.ts';

type Fields = Readonly<Record<string, unknown>>;

const DOORS = {
  client: { parse: parseClientMessage, examples: Object.values<Fields>(CLIENT_MESSAGES) },
  server: { parse: parseServerMessage, examples: Object.values<Fields>(SERVER_MESSAGES) },
  agent: { parse: parseAgentMessage, examples: Object.values<Fields>(AGENT_MESSAGES) },
  relay: { parse: parseRelayMessage, examples: Object.values<Fields>(RELAY_MESSAGES) },
};
type Door = keyof typeof DOORS;

const EXAMPLES = Object.entries(DOORS).flatMap(([door, { examples }]) =>
  examples.map((message) => ({ door: door as Door, type: String(message.type), message })),
);
const FIELDS = EXAMPLES.flatMap((example) =>
  Object.keys(example.message).map((field) => ({ ...example, field })),
).filter(({ field }) => field !== 'type');

/** Fields a message may leave out; every other one it must have. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  list_sessions: ['include', 'session', 'people'],
  refresh_sessions: ['session'],
  agent_state: ['role', 'guest', 'session'],
  session_list: ['more'],
  hello: ['graceMs', 'answersReadChecks', 'listsCommands', 'trouble', 'can', 'build'],
  hide_session: ['describe', 'onlyAttention'],
  run_command: ['epoch', 'actor', 'holder'],
  from_client: ['name'],
  type_text: ['epoch', 'actor', 'holder', 'paste'],
  await_session: ['since'],
  session_awaited: ['command', 'attention'],
  digest: ['more'],
  create_session: ['name', 'key', 'command', 'args', 'cwd', 'env', 'theme', 'replaces', 'graceMs'],
  reattach_session: [
    'epoch',
    'from',
    'typed',
    'cols',
    'rows',
    'theme',
    'hidden',
    'answersReadChecks',
    'describe',
    'onlyAttention',
    'people',
    'isScript',
    'holder',
    'exited',
    'once',
    'history',
  ],
  session_created: ['found'],
  session_reattached: ['marksNonce'],
  scrollback: ['history', 'widths'],
  close_session: ['afterMs'],
  resize: ['theme', 'takeOver', 'request'],
  take_snapshot: ['scope', 'command'],
  command_list: ['more'],
  session_described: ['progress', 'keyboard', 'attention'],
  snapshot_taken: ['linesAbove', 'command', 'lost', 'cursor'],
  error: ['request', 'session', 'retryAfterMs'],
  presence: ['question'],
};

/** Sent to clients and to the agent alike. [RL25] */
const BOTH_LEGS: Readonly<Record<string, readonly Door[]>> = {
  read: ['client', 'agent'],
  read_check: ['server', 'relay'],
};

function refusal(door: Door, message: unknown): string {
  try {
    DOORS[door].parse(typeof message === 'string' ? message : JSON.stringify(message));
  } catch (error) {
    if (error instanceof ProtocolError) return error.message;
    throw error;
  }
  throw new Error('it was let in');
}

/** A value of a type that no field with this example takes. */
function wrong(example: unknown): unknown {
  return typeof example === 'string' ? 31_337 : '31337';
}

describe('every message', () => {
  it.each(EXAMPLES)('[P11] $type is the same after encoding and decoding by $door', ({ door, message }) => {
    expect(DOORS[door].parse(JSON.stringify(message))).toEqual(message);
  });

  it.each(EXAMPLES)('[WF6] $type loses fields that this build does not know', ({ door, message }) => {
    const newer = { ...message, invented: { later: true } };
    expect(DOORS[door].parse(JSON.stringify(newer))).toEqual(message);
  });

  it.each(EXAMPLES)('[WF6] $type is refused by every other decoder', ({ door, type, message }) => {
    const others = (Object.keys(DOORS) as Door[]).filter(
      (other) => other !== door && !BOTH_LEGS[type]?.includes(other),
    );
    for (const other of others) expect(refusal(other, message)).toMatch(/^bad message: type is not/);
  });

  it.each(FIELDS)(
    '[WF6] $type with a wrong $field is refused, and the error names the field',
    ({ door, message, field }) => {
      const sentence = refusal(door, { ...message, [field]: wrong(message[field]) });
      expect(sentence).toMatch(new RegExp(`^bad message: ${field} is not `));
      expect(sentence).not.toContain('31337');
    },
  );

  it.each(FIELDS)('[WF6] $type without $field is accepted only if the field is optional', (row) => {
    const { [row.field]: _, ...rest } = row.message;
    if (OPTIONAL[row.type]?.includes(row.field))
      expect(DOORS[row.door].parse(JSON.stringify(rest))).toEqual(rest);
    else expect(refusal(row.door, rest)).toMatch(new RegExp(`^bad message: ${row.field} is not `));
  });
});

describe('a decoder refuses', () => {
  it.each(['', 'ping', '{', '{"type":"list_sessions"', 'undefined'])(
    '[WF6] %o, which is not JSON',
    (frame) => {
      expect(refusal('client', frame)).toBe('a text frame that is not JSON');
    },
  );

  it.each(['null', '1', '"list_sessions"', 'true', '[]', '{}', '{"type":null}', '{"type":["resize"]}'])(
    '[WF6] %s, which is no message',
    (frame) => {
      for (const door of Object.keys(DOORS) as Door[]) expect(refusal(door, frame)).toMatch(/^bad message: /);
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'LIST_SESSIONS', ''])(
    '[WF6] the unknown type %o',
    (type) => {
      expect(refusal('client', { type, request: 'r1' })).toMatch(/^bad message: type is not /);
    },
  );

  const { create_session, reattach_session, resize } = CLIENT_MESSAGES;
  const { scrollback, session_reattached, session_list } = SERVER_MESSAGES;
  const { to_client, subscribe } = AGENT_MESSAGES;
  it.each([
    { door: 'client', message: { ...resize, cols: 0 }, field: 'cols' },
    { door: 'client', message: { ...resize, cols: -1 }, field: 'cols' },
    { door: 'client', message: { ...resize, rows: 1001 }, field: 'rows' },
    { door: 'client', message: { ...resize, rows: 1e9 }, field: 'rows' },
    { door: 'client', message: { ...create_session, cols: 0 }, field: 'cols' },
    { door: 'client', message: { ...create_session, rows: 1e9 }, field: 'rows' },
    { door: 'client', message: { ...resize, theme: { background: 'white' } }, field: 'theme.background' },
    { door: 'client', message: { ...resize, theme: { ansi: ['#ffffff'] } }, field: 'theme.ansi' },
    { door: 'client', message: { ...resize, cols: 80.5 }, field: 'cols' },
    { door: 'client', message: { ...resize, session: 'two words' }, field: 'session' },
    { door: 'client', message: { ...resize, session: 'x'.repeat(65) }, field: 'session' },
    { door: 'client', message: { ...resize, session: '' }, field: 'session' },
    { door: 'client', message: { ...create_session, request: '' }, field: 'request' },
    { door: 'client', message: { ...create_session, request: 'x'.repeat(65) }, field: 'request' },
    { door: 'client', message: { ...create_session, name: 'x'.repeat(257) }, field: 'name' },
    { door: 'client', message: { ...create_session, key: '' }, field: 'key' },
    { door: 'client', message: { ...create_session, cwd: 'x'.repeat(4097) }, field: 'cwd' },
    { door: 'client', message: { ...create_session, command: '' }, field: 'command' },
    { door: 'client', message: { ...create_session, args: Array(257).fill('x') }, field: 'args' },
    { door: 'client', message: { ...create_session, args: ['x', 1] }, field: 'args.1' },
    { door: 'client', message: { ...create_session, env: { LANG: 1 } }, field: 'env.LANG' },
    { door: 'client', message: { ...reattach_session, from: -1 }, field: 'from' },
    { door: 'client', message: { ...reattach_session, from: 2 ** 53 }, field: 'from' },
    { door: 'server', message: { ...session_reattached, handle: 2 ** 32 }, field: 'handle' },
    { door: 'server', message: { ...scrollback, kind: 'everything' }, field: 'kind' },
    { door: 'server', message: { ...scrollback, lost: 1.5 }, field: 'lost' },
    {
      door: 'server',
      message: { ...session_list, sessions: [{ ...session_reattached.session, status: 'asleep' }] },
      field: 'sessions.0.status',
    },
    { door: 'agent', message: { ...subscribe, channel: 0 }, field: 'channel' },
    { door: 'agent', message: { ...to_client, message: resize }, field: 'message.type' },
    {
      door: 'relay',
      message: { ...RELAY_MESSAGES.from_client, message: { ...resize, cols: 0 } },
      field: 'message.cols',
    },
    { door: 'relay', message: { ...RELAY_MESSAGES.from_client, role: 'agent' }, field: 'role' },
  ] as const)('[WF6] $message.type for a $field beyond its bounds', ({ door, message, field }) => {
    expect(refusal(door, message)).toMatch(
      new RegExp(`^bad message: ${field.replaceAll('.', '\\.')} is not `),
    );
  });

  it('[P11] an empty list', () => {
    const empty = { ...SERVER_MESSAGES.session_list, sessions: [] };
    expect(parseServerMessage(JSON.stringify(empty))).toEqual(empty);
  });
});

describe('the error of a refused message', () => {
  const SECRET = 'hunter2';
  const hiding = [
    SECRET,
    [SECRET],
    [[SECRET]],
    { type: SECRET },
    { id: SECRET, x: { y: SECRET } },
    `${SECRET} `.repeat(999),
  ];

  it('[WF6] never repeats a value, wherever it is in the message', () => {
    let refused = 0;
    for (const { door, message } of EXAMPLES) {
      for (const field of Object.keys(message)) {
        for (const value of hiding) {
          const text = JSON.stringify({ ...message, [field]: value });
          try {
            DOORS[door].parse(text);
          } catch (error) {
            refused++;
            expect(String(error), text).not.toContain(SECRET);
          }
        }
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  it('[WF6] never repeats a frame that is not JSON', () => {
    expect(refusal('client', `{"type": ${SECRET}`)).not.toContain(SECRET);
  });
});
