/** One message of each type with every possible field. The compiler reports any that is missing. */
import type { AgentMessage, RelayMessage } from '../../protocol/messages/agent-message.ts';
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { ServerMessage, ServerMessageOf } from '../../protocol/messages/server-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';

const SESSION: SessionInfo = {
  id: 's-1',
  key: 'build',
  name: 'Build',
  status: 'running',
  attached: 2,
  orphanedSince: '2026-11-16T03:26:00.000Z',
  exitCode: 0,
  signal: 'SIGHUP',
  cols: 80,
  rows: 24,
  cwd: '/srv',
  title: 'vim',
  foreground: 'vim',
  createdAt: '2026-11-16T03:20:00.000Z',
  lastActivityAt: '2026-11-16T03:25:00.000Z',
  bufferBytes: 4096,
  epoch: 'e_1',
};

const AGENT = {
  state: 'online',
  since: '2026-11-16T03:00:00.000Z',
  lastSeen: '2026-11-16T03:26:00.000Z',
  epoch: 'e_1',
  generation: 3,
  graceMs: 60_000,
  listsCommands: true,
  trouble: 'The agent ended 3 times.',
} as const;

const THEME = {
  foreground: '#1d232b',
  background: '#FFFFFF',
  cursor: '#1660b5',
  ansi: Array.from({ length: 16 }, (_, index) => `#0000${(index * 16 + 15).toString(16).padStart(2, '0')}`),
};

const COMMAND: SessionCommand = {
  number: 12,
  commandLine: 'make test',
  startedAt: '2026-11-16T03:21:00.000Z',
  durationMs: 1500,
  exitCode: 2,
  outputFrom: 100,
  outputTo: 2048,
  verified: true,
};

const LAYOUT = { tabs: [{ session: 's-1', name: 'Build' }], active: 's-1' };

export const CLIENT_MESSAGES: { readonly [T in ClientMessage['type']]: Required<ClientMessageOf<T>> } = {
  list_sessions: { type: 'list_sessions', request: 'r1', include: 'lost', session: 's-1' },
  refresh_sessions: { type: 'refresh_sessions', request: 'r1', session: 's-1' },
  load_layout: { type: 'load_layout', request: 'r1' },
  save_layout: { type: 'save_layout', request: 'r1', layout: LAYOUT },
  create_session: {
    type: 'create_session',
    request: 'r1',
    name: 'Build',
    key: 'build',
    command: '/bin/sh',
    args: ['-l'],
    cwd: '/srv',
    env: { LANG: 'C.UTF-8' },
    cols: 80,
    rows: 24,
    theme: THEME,
    replaces: 's-0',
    graceMs: 30_000,
  },
  reattach_session: {
    type: 'reattach_session',
    request: 'r1',
    session: 's-1',
    instance: 'i-1',
    epoch: 'e_1',
    from: 1024,
    typed: 12,
    cols: 80,
    rows: 24,
    theme: THEME,
    hidden: true,
    exited: 'read',
    once: 'digest',
    history: 'none',
    answersReadChecks: true,
    describe: true,
  },
  hide_session: { type: 'hide_session', session: 's-1', describe: true },
  detach_session: { type: 'detach_session', session: 's-1' },
  read: { type: 'read', mark: 'a1b2c3d4e5f6' },
  close_session: { type: 'close_session', request: 'r1', session: 's-1', afterMs: 60_000 },
  rename_session: { type: 'rename_session', request: 'r1', session: 's-1', name: 'Deploy' },
  resize: {
    type: 'resize',
    session: 's-1',
    cols: 120,
    rows: 40,
    theme: THEME,
    takeOver: true,
    request: 'r1',
  },
  take_snapshot: {
    type: 'take_snapshot',
    request: 'r1',
    session: 's-1',
    format: 'text',
    scope: 'screen',
    command: 12,
  },
  list_commands: { type: 'list_commands', request: 'r1', session: 's-1' },
  read_metrics: { type: 'read_metrics', request: 'r1' },
};

export const SERVER_MESSAGES: { readonly [T in ServerMessage['type']]: Required<ServerMessageOf<T>> } = {
  agent_state: { type: 'agent_state', agent: AGENT, role: 'operator' },
  sessions_refreshed: { type: 'sessions_refreshed', request: 'r1' },
  session_list: { type: 'session_list', request: 'r1', agent: AGENT, sessions: [SESSION], more: true },
  layout: { type: 'layout', request: 'r1', layout: LAYOUT, savedAt: '2026-11-16T03:26:00.000Z' },
  session_created: { type: 'session_created', request: 'r1', session: SESSION, found: true },
  session_reattached: {
    type: 'session_reattached',
    request: 'r1',
    session: SESSION,
    handle: 7,
    inputOffset: 12,
    marksNonce: 'bm9uY2Utb2YtMTYtYnl0ZQ',
  },
  scrollback: {
    type: 'scrollback',
    session: 's-1',
    handle: 7,
    kind: 'delta',
    from: 1024,
    to: 4096,
    lost: 0,
    cols: 80,
    rows: 24,
    bytes: 512,
    history: true,
    widths: '17-clusters',
  },
  session_closed: { type: 'session_closed', session: 's-1', reason: 'idle' },
  session_renamed: { type: 'session_renamed', session: 's-1', name: 'Deploy' },
  session_resized: { type: 'session_resized', request: 'r1', session: 's-1', cols: 120, rows: 40 },
  snapshot_taken: {
    type: 'snapshot_taken',
    request: 'r1',
    session: 's-1',
    handle: 7,
    format: 'html',
    offset: 4096,
    cols: 80,
    rows: 24,
    bytes: 512,
    linesAbove: 3,
    command: 12,
    lost: 100,
  },
  command_list: { type: 'command_list', request: 'r1', session: 's-1', commands: [COMMAND], more: true },
  metrics: { type: 'metrics', request: 'r1', text: '# nothing' },
  session_activity: { type: 'session_activity', session: 's-1', bell: true },
  read_check: { type: 'read_check', mark: 'a1b2c3d4e5f6' },
  session_described: {
    type: 'session_described',
    session: 's-1',
    title: 'notes.txt',
    foreground: 'vim',
    progress: { state: 'running', percent: 42 },
  },
  session_driver: { type: 'session_driver', session: 's-1', yours: true },
  session_exited: { type: 'session_exited', session: 's-1', exitCode: 1, signal: 'SIGTERM', offset: 4096 },
  error: {
    type: 'error',
    code: 'session_missing',
    message: 'No such session.',
    request: 'r1',
    session: 's-1',
    retryAfterMs: 250,
  },
};

export const AGENT_MESSAGES: {
  readonly [T in AgentMessage['type']]: Required<Extract<AgentMessage, { type: T }>>;
} = {
  prove: { type: 'prove', mac: 'A'.repeat(43) },
  read: { type: 'read', mark: 'a1b2c3d4e5f6' },
  hello: {
    type: 'hello',
    version: 1,
    epoch: 'e_1',
    sessions: [SESSION],
    more: true,
    graceMs: 60_000,
    answersReadChecks: true,
    listsCommands: true,
    trouble: 'The agent ended 3 times.',
  },
  inventory: { type: 'inventory', sessions: [SESSION], more: false },
  session_changed: { type: 'session_changed', session: SESSION },
  session_gone: { type: 'session_gone', session: 's-1', reason: 'orphan_expired' },
  subscribe: { type: 'subscribe', channel: 5, handle: 7 },
  unsubscribe: { type: 'unsubscribe', channel: 5, handle: 7 },
  to_client: { type: 'to_client', channel: 5, message: SERVER_MESSAGES.session_exited },
  to_clients: { type: 'to_clients', message: SERVER_MESSAGES.session_closed },
  ask_presence: { type: 'ask_presence', question: 'q1' },
};

export const RELAY_MESSAGES: {
  readonly [T in RelayMessage['type']]: Required<Extract<RelayMessage, { type: T }>>;
} = {
  presence: { type: 'presence', generation: 3, clients: [{ channel: 5, role: 'operator' }], question: 'q1' },
  client_dropped: { type: 'client_dropped', generation: 3, channel: 5 },
  from_client: { type: 'from_client', channel: 5, role: 'viewer', message: CLIENT_MESSAGES.list_sessions },
  read_check: { type: 'read_check', mark: 'm1' },
};
