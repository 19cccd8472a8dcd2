/** The command line against a relay that sends what it may not: one printable sentence and an exit code, no crash. */
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dispatchCommand } from '../../../cli/commands/command-dispatch.ts';
import { encodeFrame } from '../../../protocol/frame.ts';
import { COMMANDS_KEPT, LISTED_MAX_SESSIONS, SNAPSHOT_INFLATED_MAX_BYTES } from '../../../protocol/limits.ts';
import type { ClientMessage, ClientMessageOf } from '../../../protocol/messages/client-message.ts';
import { type HostileAnswers, HostileRelay, ONLINE } from '../../support/hostile-relay.ts';

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  const note = (text: unknown) => void said.push(String(text));
  vi.spyOn(console, 'log').mockImplementation(note);
  vi.spyOn(console, 'error').mockImplementation(note);
  vi.stubEnv('HOLDFAST_TOKEN', 'x.y.z');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const TIME = '2026-11-17T10:00:00.000Z';
/** Sets a title, clears the screen, writes the clipboard, turns the direction of text. */
const EVIL = '\x1b]0;x\x07\x1b[2J\x1b]52;c;eA==\x07\u202e\0';
const session = (id: string, changes = {}) => ({
  ...{ id, key: null, name: 'n', status: 'running', attached: 0, orphanedSince: null, exitCode: null },
  ...{ signal: null, cols: 80, rows: 24, cwd: '/', title: null, createdAt: TIME, lastActivityAt: TIME },
  ...{ bufferBytes: 0, epoch: 'e' },
  ...changes,
});

/** Honest about one session, and as a case says about the rest. */
function answers(more: HostileAnswers): HostileAnswers {
  return (message) => {
    const told = more(message);
    if (told.length > 0) return told;
    if (message.type === 'refresh_sessions')
      return [{ type: 'sessions_refreshed', request: message.request }];
    return message.type === 'list_sessions' ? [list(message, [session('s1')])] : [];
  };
}

function list({ request }: ClientMessageOf<'list_sessions'>, sessions: object[], more = false) {
  return { type: 'session_list', request, agent: ONLINE, sessions, more };
}

const only =
  <T extends ClientMessage['type']>(
    type: T,
    tell: (message: ClientMessageOf<T>) => readonly (string | object | Uint8Array)[],
  ): HostileAnswers =>
  (message) =>
    message.type === type ? tell(message as ClientMessageOf<T>) : [];

/** A snapshot of these bytes, deflated or not. */
const snapshot = (bytes: Uint8Array) =>
  only('take_snapshot', ({ request, format }) => [
    ...[
      { type: 'snapshot_taken', request, session: 's1', handle: 1, format, offset: 0, cols: 80, rows: 24 },
    ].map((announced) => ({ ...announced, bytes: bytes.length })),
    encodeFrame({ kind: 'snapshot', channel: 0, handle: 1, offset: 0 }, bytes),
  ]);

const COMMAND = {
  ...{ number: 1, commandLine: EVIL, startedAt: TIME, durationMs: 1, exitCode: 0 },
  ...{ outputFrom: 0, outputTo: 0, verified: true },
};

const CASES: readonly (readonly [
  what: string,
  args: string[],
  answers: HostileAnswers,
  code: number,
  says: RegExp,
])[] = [
  [
    'a list as the answer to another question',
    ['ls'],
    only('list_sessions', ({ request }) => [{ type: 'layout', request, layout: null, savedAt: null }]),
    1,
    /sent what it may not: list_sessions was answered by layout/,
  ],
  [
    'a list without an end',
    ['ls'],
    only('list_sessions', (message) =>
      Array.from({ length: LISTED_MAX_SESSIONS + 1 }, () => list(message, [], true)),
    ),
    69,
    /The connection was lost/,
  ],
  [
    'names that control a terminal',
    ['ls'],
    only('list_sessions', (message) => [
      list(message, [session('s1', { name: EVIL, cwd: `/${EVIL}`, foreground: EVIL })]),
    ]),
    0,
    /\]0;x\[2J/,
  ],
  [
    'a refusal that controls a terminal',
    ['ls'],
    only('list_sessions', ({ request }) => [{ type: 'error', code: 'internal', message: EVIL, request }]),
    1,
    /\]0;x\[2J/,
  ],
  [
    'a snapshot that inflates to more than allowed',
    ['snapshot', 's1'],
    snapshot(deflateRawSync(Buffer.alloc(SNAPSHOT_INFLATED_MAX_BYTES + 1))),
    1,
    /sent what it may not: a snapshot of over \d+ bytes when inflated/,
  ],
  [
    'a snapshot that is not deflated',
    ['snapshot', 's1'],
    snapshot(new Uint8Array(100).fill(0xff)),
    1,
    /sent what it may not: a snapshot that cannot be inflated/,
  ],
  [
    'more commands than there are',
    ['commands', 's1'],
    only('list_commands', ({ request }) =>
      Array.from({ length: 2 }, () => ({
        ...{ type: 'command_list', request, session: 's1', more: true },
        commands: Array.from({ length: COMMANDS_KEPT }, () => COMMAND),
      })),
    ),
    1,
    /sent what it may not: a list of over 200 commands/,
  ],
  [
    'an exit code that the system would cut to success',
    ['wait', 's1'],
    only('list_sessions', (message) => [list(message, [session('s1', { status: 'exited', exitCode: 256 })])]),
    1,
    /^$/,
  ],
  ['a text that is no message', ['ls'], only('list_sessions', () => [EVIL]), 69, /The connection was lost/],
];

const NOT_FOR_TERMINALS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not reach a terminal
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/;

it.each(CASES)('[SEC19] %s', async (_, args, more, code, says) => {
  using relay = await HostileRelay.answering(answers(more));
  expect(await dispatchCommand([...args, '--relay', relay.url, '--workspace', 'w'])).toBe(code);
  const text = said.join('\n');
  expect(text).toMatch(says);
  expect(text).not.toMatch(NOT_FOR_TERMINALS);
});

it('[SEC19] [F30] why an agent was started with less, in words that control a terminal', async () => {
  using relay = await HostileRelay.answering(
    answers(() => []),
    { ...ONLINE, trouble: `${EVIL}It ended.` },
  );
  expect(await dispatchCommand(['ls', '--relay', relay.url, '--workspace', 'w'])).toBe(0);
  const text = said.join('\n');
  expect(text).toMatch(/^holdfast: \]0;x\[2J.*It ended\.$/m);
  expect(text).not.toMatch(NOT_FOR_TERMINALS);
});
