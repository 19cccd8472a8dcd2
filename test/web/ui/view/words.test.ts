/** What the page says about its connection, and what covers a terminal. */
import { describe, expect, it } from 'vitest';
import type { ClientState } from '../../../../client/workspace-client.ts';
import type { AgentPresence } from '../../../../protocol/messages/server-message.ts';
import { noteText } from '../../../../web/ui/tabs/note-text.ts';
import { bytesText, countdownText, durationText } from '../../../../web/ui/text/amounts.ts';
import { alsoHereText, badgeText, sizedForText } from '../../../../web/ui/text/people-text.ts';
import { roundTripText } from '../../../../web/ui/text/round-trip-text.ts';
import { since } from '../../../../web/ui/text/since.ts';
import { connectionStatus } from '../../../../web/ui/view/connection-status.ts';
import { sessionRow } from '../../../../web/ui/view/session-row.ts';
import { type CoverInput, coverOf } from '../../../../web/ui/view/terminal-cover.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';

const now = new Date(2026, 4, 3, 18, 30);
const offlineAt = new Date(2026, 4, 3, 9, 5).toISOString();
const agent: AgentPresence = { state: 'online', since: offlineAt, epoch: 'e', generation: 1 };
const live: ClientState = { name: 'live', agent };
const offline: ClientState = { name: 'live', agent: { ...agent, state: 'offline' } };
const waiting: ClientState = { name: 'waiting', retryAt: 5, why: 'The connection was lost.' };
const refused: ClientState = { name: 'refused', code: 4403, why: 'This credential does not allow that.' };

const statusOf = (state: ClientState, isAgentSilent = false) =>
  connectionStatus({ state, wasLive: true, isAgentSilent }, now);

describe('the status line', () => {
  it('[U11] says that a machine does not respond if it counts as online and does not answer', () => {
    expect(statusOf(live, true)).toMatchObject({ tone: 'bad', text: 'The machine is not responding.' });
    expect(statusOf(offline, true).text).toMatch(/has been offline since/);
    expect(statusOf(waiting, true).text).toBe('Reconnecting…');
  });

  it.each([
    { state: live, wasLive: true, tone: 'good', text: 'Connected' },
    { state: { name: 'connecting' } as const, wasLive: false, tone: 'busy', text: 'Connecting…' },
    { state: { name: 'connecting' } as const, wasLive: true, tone: 'busy', text: 'Reconnecting…' },
    { state: waiting, wasLive: true, tone: 'busy', text: 'Reconnecting…' },
    { state: offline, wasLive: true, tone: 'bad', text: 'The machine has been offline since 09:05.' },
    { state: refused, wasLive: true, tone: 'bad', text: 'This credential does not allow that.' },
  ])('says "$text" ($tone)', ({ state, wasLive, tone, text }) => {
    expect(connectionStatus({ state, wasLive, isAgentSilent: false }, now)).toMatchObject({ tone, text });
  });

  it('counts down to the next attempt only', () => {
    expect(statusOf(waiting).retryAt).toBe(5);
    expect(statusOf(live).retryAt).toBeNull();
  });

  it('knows that a machine has never connected', () => {
    const never: ClientState = { name: 'live', agent: { ...agent, state: 'offline', since: null } };
    expect(statusOf(never).text).toBe('The machine has not connected yet.');
  });

  it('includes the day of a time that is not today', () => {
    expect(since(offlineAt, now)).toBe('09:05');
    expect(since(offlineAt, new Date(2026, 4, 4, 1, 0))).toMatch(/3.*09:05/);
  });
});

describe('the cover of a terminal', () => {
  const situation: CoverInput = {
    client: live,
    flow: 'attached',
    sentence: '',
    session: 'live',
    returning: true,
    unsent: '',
    discardedBytes: 0,
    mayManage: true,
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
      name: 'the time since when the machine is offline',
      change: { client: offline, session: 'attaching' },
      cover: {
        kind: 'waiting',
        detail: 'The machine has been offline since 09:05. This terminal reconnects when it is back.',
      },
    },
    {
      name: 'unsent input',
      change: { client: waiting, session: 'attaching', unsent: 'ls⏎' },
      cover: { kind: 'waiting', unsent: 'ls⏎' },
    },
    {
      name: 'discarded input',
      change: { client: waiting, session: 'attaching', discardedBytes: 3 },
      cover: {
        kind: 'waiting',
        detail: 'Some of what you typed was discarded because it was too old.',
      },
    },
    {
      name: 'how the shell ended, with a button for a new one',
      change: { flow: 'ended', session: null, sentence: 'The shell has ended (exit code 3).' },
      cover: { kind: 'stopped', sentence: 'The shell has ended (exit code 3).', action: 'New shell here' },
    },
    {
      name: 'how the shell ended, without a button for viewers',
      change: { flow: 'ended', session: null, sentence: 'The shell has ended.', mayManage: false },
      cover: { kind: 'stopped', action: null },
    },
    {
      name: 'nothing when the login has ended, which the page says below',
      change: { client: { ...refused, code: 4401 }, session: 'attaching' },
      cover: { kind: 'none' },
    },
    {
      name: 'the machine rather than the shell if both are gone',
      change: { client: offline, flow: 'ended', session: null, sentence: 'The shell has ended (SIGHUP).' },
      cover: { kind: 'waiting', title: 'Reconnecting…' },
    },
    {
      name: 'why there is no terminal, with a button to try again',
      change: { flow: 'failed', session: null, sentence: 'This machine allows 64 sessions.' },
      cover: { kind: 'stopped', sentence: 'This machine allows 64 sessions.', action: 'Try again' },
    },
    {
      name: 'why the page was refused',
      change: { client: refused, session: 'attaching' },
      cover: { kind: 'stopped', sentence: 'This credential does not allow that.', action: 'Reload' },
    },
  ] as const)('is $name', ({ change, cover }) => {
    expect(coverOf({ ...situation, ...change }, now)).toMatchObject(cover);
  });
});

describe('the message of a terminal that reconnected', () => {
  const resume = {
    missedBytes: 3_100,
    lostBytes: 0,
    awayMs: 12_300,
    tookMs: 140,
    by: 'delta',
    isNewProgram: false,
  } as const;
  it.each([
    ['what it caught up with', resume, 'Back after 12 s: 3.1 KB caught up in 140 ms.'],
    ['that it missed nothing', { ...resume, missedBytes: 0 }, 'Back after 12 s: nothing missed.'],
    [
      'how much is lost, to the byte',
      { ...resume, missedBytes: 2_000_000, lostBytes: 1_234_567 },
      'Back after 12 s: 2.0 MB caught up in 140 ms. 1,234,567 bytes of output are gone; the screen is up to date.',
    ],
    [
      '[U10] that the shell is new, whatever was missed',
      { ...resume, missedBytes: 0, isNewProgram: true },
      '“Build” is a new shell; the old one and its programs have ended.',
    ],
    ['without a time if that is unknown', { ...resume, awayMs: null }, 'Back: 3.1 KB caught up in 140 ms.'],
  ])('is %s', (_, resume, text) => {
    expect(
      noteText({ kind: 'resumed', resume, undelivered: '' }, { name: 'Build', graceMs: undefined }),
    ).toBe(text);
  });

  it.each([
    [null, 60_000, '“Build” is a new shell; the old one and its programs have ended.'],
    ['orphan_expired', 60_000, 'The old shell was ended: nobody was attached for 1 min.'],
    ['orphan_expired', undefined, 'The old shell was ended: nobody was attached.'],
    ['idle', 60_000, 'The old shell was ended: it was idle for too long.'],
    ['evicted', 60_000, 'The old shell was ended: a newer session needed its place.'],
  ] as const)(
    '[RL15] says that the shell is new, and which rule ended the old one: %s',
    (endedBy, graceMs, text) => {
      expect(noteText({ kind: 'replaced', endedBy, undelivered: '' }, { name: 'Build', graceMs })).toBe(text);
    },
  );

  it.each([
    [{ toRelayMs: null, toAgentMs: null }, ''],
    [{ toRelayMs: 0.4, toAgentMs: null }, 'Relay < 1 ms'],
    [{ toRelayMs: 3.2, toAgentMs: 41 }, 'Round trip 40 ms (relay 3 ms)'],
  ])('offers %j', (statistics, text) => {
    expect(roundTripText(statistics)).toBe(text);
  });
});

describe('amounts', () => {
  it.each([
    [bytesText(0), '0 B'],
    [bytesText(999), '999 B'],
    [bytesText(3_149), '3.1 KB'],
    [bytesText(262_144), '262 KB'],
    [bytesText(999_600), '1.0 MB'],
    [durationText(140), '140 ms'],
    [durationText(12_345), '12 s'],
    [durationText(125_000), '2 min'],
    [durationText(7_200_000), '2 h'],
    [durationText(5 * 86_400_000), '5 days'],
    [countdownText(0), '0:00'],
    [countdownText(61_000), '1:01'],
    [countdownText(3_661_000), '1:01:01'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});

describe('a row of the sessions panel', () => {
  const created = new Date(now.getTime() - 3 * 60_000).toISOString();
  const session = sessionInfo('s1', { name: 'Build', createdAt: created, attached: 1, foreground: 'make' });
  const context = { now, graceMs: undefined, own: new Set<string>(), people: [] };
  const orphan = { attached: 0, orphanedSince: new Date(now.getTime() - 50_000).toISOString() };

  it.each([
    ['runs', {}, {}, { what: 'make', age: '3 min', watched: 'open in 1 window', expires: '' }],
    ['is open in this window', {}, { own: new Set(['s1']) }, { watched: 'open in this window' }],
    [
      'is open in this window and elsewhere',
      { attached: 3 },
      { own: new Set(['s1']) },
      { watched: 'open in this window and 2 others' },
    ],
    ['is at its prompt', { foreground: 'bash', title: 'user@vm: ~' }, {}, { what: 'user@vm: ~' }],
    ['is orphaned', orphan, {}, { watched: 'no viewers since 18:29', expires: '' }],
    ['is orphaned, with little time left', orphan, { graceMs: 120_000 }, { expires: 'ends in 1:10' }],
    [
      'has its own grace period',
      { ...orphan, graceMs: 70_000 },
      { graceMs: 120_000 },
      { expires: 'ends in 0:20' },
    ],
    ['is about to be ended', orphan, { graceMs: 40_000 }, { expires: 'ends soon' }],
    ['nobody looks at', {}, {}, { people: '' }],
    [
      '[J6] people look at',
      {},
      {
        people: [
          { name: 'Ada', role: 'operator', you: true },
          { name: 'Bob', role: 'viewer' },
          { name: 'viewer 2', role: 'viewer' },
        ],
      },
      { people: 'Here: you, Bob (viewer), viewer 2' },
    ],
    ['has no input yet', {}, {}, { typed: '' }],
    [
      'has input',
      { typedBy: 'Ada', typedAt: orphan.orphanedSince },
      {},
      { typed: 'Last input: Ada · 18:29' },
    ],
    [
      'has ended',
      { status: 'exited', exitCode: 2, attached: 0 },
      {},
      { what: 'The shell has ended (exit code 2).', watched: '' },
    ],
  ] as const)('that %s', (_, change, more, row) => {
    expect(sessionRow({ ...session, ...change }, { ...context, ...more })).toMatchObject(row);
  });
});

describe('[J6] what a terminal says of people', () => {
  const you = { name: 'Ada', role: 'operator', you: true } as const;
  const bob = { name: 'Bob Ray Doe', role: 'viewer' } as const;
  const carl = { name: '李', role: 'operator' } as const;

  it.each([
    [[], '', ''],
    [[you], '', ''],
    [[you, bob], 'BR', 'Also here: Bob Ray Doe (viewer)'],
    [[carl], '李', 'Also here: 李'],
    [[you, bob, carl], '2', 'Also here: Bob Ray Doe (viewer), 李'],
    [[{ name: ' - ', role: 'operator' }], '?', 'Also here: -'],
  ] as const)('on its tab: %j', (people, badge, sentence) => {
    expect([badgeText(people), alsoHereText(people)]).toEqual([badge, sentence]);
  });

  it.each([
    [[you, bob], 'Sized for another window'],
    [[you, { ...carl, driving: true }], 'Sized for 李’s window'],
    [[{ ...you, driving: true }], 'Sized for another window of yours'],
    [[you, { name: 'operator 2', role: 'operator', driving: true }], 'Sized for another window'],
  ] as const)('about its size: %j', (people, text) => {
    expect(sizedForText(people)).toBe(text);
  });
});
