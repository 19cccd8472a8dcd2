/** What the page says of its connection, and what it lays over a terminal. */
import { describe, expect, it } from 'vitest';
import type { AgentPresence } from '../../protocol/messages.ts';
import type { ClientState } from '../../web/client/workspace-client.ts';
import { connectionStatus } from '../../web/ui/connection-status.ts';
import { since } from '../../web/ui/since.ts';
import { coverOf, type Situation } from '../../web/ui/terminal-cover.ts';

const now = new Date(2026, 4, 3, 18, 30);
const offlineAt = new Date(2026, 4, 3, 9, 5).toISOString();
const agent: AgentPresence = { state: 'online', since: offlineAt, epoch: 'e', generation: 1 };
const live: ClientState = { name: 'live', agent };
const offline: ClientState = { name: 'live', agent: { ...agent, state: 'offline' } };
const waiting: ClientState = { name: 'waiting', retryAt: 5, why: 'The connection was lost.' };
const refused: ClientState = { name: 'refused', code: 4403, why: 'This credential does not allow that.' };

describe('the status line', () => {
  it.each([
    { state: live, wasLive: true, tone: 'good', text: 'Connected' },
    { state: { name: 'connecting' } as const, wasLive: false, tone: 'busy', text: 'Connecting…' },
    { state: { name: 'connecting' } as const, wasLive: true, tone: 'busy', text: 'Reconnecting…' },
    { state: waiting, wasLive: true, tone: 'busy', text: 'Reconnecting…' },
    { state: offline, wasLive: true, tone: 'bad', text: 'The machine is offline since 09:05.' },
    { state: refused, wasLive: true, tone: 'bad', text: 'This credential does not allow that.' },
  ])('says "$text" ($tone)', ({ state, wasLive, tone, text }) => {
    expect(connectionStatus(state, wasLive, now)).toMatchObject({ tone, text });
  });

  it('counts down to the next try, and only to that', () => {
    expect(connectionStatus(waiting, true, now).retryAt).toBe(5);
    expect(connectionStatus(live, true, now).retryAt).toBeNull();
  });

  it('knows a machine that was never there', () => {
    const never: ClientState = { name: 'live', agent: { ...agent, state: 'offline', since: null } };
    expect(connectionStatus(never, true, now).text).toBe('The machine has not connected yet.');
  });

  it('names the day of a moment that is not today', () => {
    expect(since(offlineAt, now)).toBe('09:05');
    expect(since(offlineAt, new Date(2026, 4, 4, 1, 0))).toMatch(/3.*09:05/);
  });
});

describe('what covers a terminal', () => {
  const situation: Situation = {
    client: live,
    flow: 'attached',
    sentence: '',
    session: 'live',
    returning: true,
    unsent: '',
    discardedBytes: 0,
    mayType: true,
  };

  it.each([
    { name: 'nothing while it is live', change: {}, cover: { kind: 'none' } },
    {
      name: '[P19] "Reconnecting…" until it is attached again',
      change: { session: 'attaching' },
      cover: { kind: 'waiting', title: 'Reconnecting…', detail: '' },
    },
    {
      name: '"Connecting…" on a page that had no session before',
      change: { flow: 'creating', session: null, returning: false },
      cover: { kind: 'waiting', title: 'Connecting…' },
    },
    {
      name: 'since when the machine is offline',
      change: { client: offline, session: 'attaching' },
      cover: {
        kind: 'waiting',
        detail: 'The machine is offline since 09:05. Your terminal comes back with it.',
      },
    },
    {
      name: 'what was typed and is not sent',
      change: { client: waiting, session: 'attaching', unsent: 'ls⏎' },
      cover: { kind: 'waiting', unsent: 'ls⏎' },
    },
    {
      name: 'that typing was given up',
      change: { client: waiting, session: 'attaching', discardedBytes: 3 },
      cover: {
        kind: 'waiting',
        detail: 'Some of what you typed was discarded: it would have come too late.',
      },
    },
    {
      name: 'how the shell ended, and a way to another',
      change: { flow: 'ended', session: null, sentence: 'The shell has ended (exit code 3).' },
      cover: { kind: 'stopped', sentence: 'The shell has ended (exit code 3).', action: 'New shell here' },
    },
    {
      name: 'how the shell ended, and no way for who may only watch',
      change: { flow: 'ended', session: null, sentence: 'The shell has ended.', mayType: false },
      cover: { kind: 'stopped', action: null },
    },
    {
      name: 'that the login has ended, and what to do',
      change: { client: { ...refused, code: 4401 }, session: 'attaching' },
      cover: { kind: 'stopped', sentence: expect.stringMatching(/Open a new link/), action: 'Reload' },
    },
    {
      name: 'the machine rather than the shell when both are gone',
      change: { client: offline, flow: 'ended', session: null, sentence: 'The shell has ended (SIGHUP).' },
      cover: { kind: 'waiting', title: 'Reconnecting…' },
    },
    {
      name: 'why no terminal came, and a way to try again',
      change: { flow: 'failed', session: null, sentence: 'This machine allows 64 sessions.' },
      cover: { kind: 'stopped', sentence: 'This machine allows 64 sessions.', action: 'Try again' },
    },
    {
      name: 'why the page was turned away',
      change: { client: refused, session: 'attaching' },
      cover: { kind: 'stopped', sentence: 'This credential does not allow that.', action: 'Reload' },
    },
  ] as const)('is $name', ({ change, cover }) => {
    expect(coverOf({ ...situation, ...change }, now)).toMatchObject(cover);
  });
});
