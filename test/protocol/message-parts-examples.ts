/** What the examples of messages have in common. */
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';

export const SESSION: SessionInfo = {
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

export const AGENT = {
  state: 'online',
  since: '2026-11-16T03:00:00.000Z',
  lastSeen: '2026-11-16T03:26:00.000Z',
  epoch: 'e_1',
  generation: 3,
  graceMs: 60_000,
  listsCommands: true,
  trouble: 'The agent ended 3 times.',
} as const;

export const THEME = {
  foreground: '#1d232b',
  background: '#FFFFFF',
  cursor: '#1660b5',
  ansi: Array.from({ length: 16 }, (_, index) => `#0000${(index * 16 + 15).toString(16).padStart(2, '0')}`),
};

export const COMMAND: SessionCommand = {
  number: 12,
  commandLine: 'make test',
  startedAt: '2026-11-16T03:21:00.000Z',
  durationMs: 1500,
  exitCode: 2,
  outputFrom: 100,
  outputTo: 2048,
  verified: true,
};

export const ATTENTION = {
  state: 'asks',
  text: 'Overwrite?',
  at: '2026-11-16T03:26:00.000Z',
  offset: 4096,
  guessed: true,
} as const;

export const KEYBOARD = { kind: 'assistant', name: 'Codex', since: '2026-11-16T03:26:00.000Z' } as const;

export const LAYOUT = { tabs: [{ session: 's-1', name: 'Build' }], active: 's-1' };
