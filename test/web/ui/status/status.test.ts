/** The texts of the status page, state by state. */
import { describe, expect, it } from 'vitest';
import { agentVersionIn, type Report, type ReportedSession } from '../../../../web/ui/status/report.ts';
import { figuresOf, headlineOf, rowOf } from '../../../../web/ui/status/words.ts';
import { workspaceOfStatus } from '../../../../web/ui/status/workspace-of.ts';

const now = new Date(2026, 10, 16, 12, 30);
const at = (hours: number, minutes: number) => new Date(2026, 10, 16, hours, minutes).toISOString();

type Workspace = Extract<Report, { name: 'workspace' }>['workspace'];

function workspace(agent: Partial<Workspace['agent']>, more: Partial<Workspace> = {}): Report {
  const quiet: Workspace = {
    agent: { state: 'online', since: at(9, 5), lastSeen: null, trouble: null, ...agent },
    sessions: { running: 2, orphaned: 1, exited: 3 },
    clients: 4,
    list: [],
    agentVersion: '1.2.3',
    ...more,
  };
  return { name: 'workspace', version: '1.2.4', workspace: quiet };
}

const session: ReportedSession = {
  name: 'build',
  status: 'running',
  attached: 1,
  exitCode: null,
  signal: null,
  cols: 80,
  rows: 24,
  foreground: 'make',
  lastActivityAt: at(12, 1),
};

describe('the headline of the status page', () => {
  it.each<[string, Report, string, string, RegExp]>([
    [
      'a relay that is unreachable',
      { name: 'unreachable' },
      'bad',
      'The relay is not responding',
      /reconnect automatically/,
    ],
    [
      'a relay without a workspace',
      { name: 'relay', version: '1' },
      'good',
      'The relay is running',
      /\/status\//,
    ],
    [
      'a user who is not signed in',
      { name: 'locked', version: '1' },
      'busy',
      'Sign in to see the status',
      /open its link in this browser, or paste it here/,
    ],
    ['a machine that is online', workspace({}), 'good', 'The machine is online', /since 09:05\.$/],
    [
      'a machine whose agent was started with less',
      workspace({ trouble: 'It ended 3 times.' }),
      'busy',
      'The machine is online, but its agent ended repeatedly',
      /^It ended 3 times\. Programs keep running\. Connected since 09:05\.$/,
    ],
    [
      'a machine that is offline',
      workspace({ state: 'offline', lastSeen: at(9, 4) }),
      'bad',
      'The machine is offline',
      /since 09:05, last seen 09:04/,
    ],
    [
      'a machine that never connected',
      workspace({ state: 'offline', since: null }),
      'busy',
      'No machine has connected yet',
      /agent doctor/,
    ],
  ])('describes %s', (_, report, tone, title, sentence) => {
    expect(headlineOf(report, now)).toEqual({ tone, title, sentence: expect.stringMatching(sentence) });
  });
});

describe('the figures of the status page', () => {
  it('are sessions, clients and both versions', () => {
    expect(figuresOf(workspace({})).map(([, value]) => value)).toEqual([
      '2',
      '1',
      '3',
      '4',
      '1.2.4',
      '1.2.3',
    ]);
  });

  it('say why the version of the agent is missing', () => {
    const versionOf = (report: Report) => figuresOf(report).find(([term]) => term === 'Agent version')?.[1];
    expect(versionOf(workspace({}, { agentVersion: null }))).toBe('shown to operators');
    expect(versionOf(workspace({ state: 'offline' }, { agentVersion: null }))).toBe('offline');
  });

  it('take that version from the metrics', () => {
    const text = '# TYPE holdfast_agent_info gauge\nholdfast_agent_info{node="24.1.0",version="0.3.1"} 1\n';
    expect([agentVersionIn(text), agentVersionIn('')]).toEqual(['0.3.1', null]);
  });
});

describe('a row of the status page', () => {
  it.each<[Partial<ReportedSession>, string]>([
    [{}, 'running'],
    [{ attached: 0 }, 'running, detached'],
    [{ status: 'exited', exitCode: 3 }, 'ended (exit code 3)'],
    [{ status: 'exited', signal: 'SIGHUP' }, 'ended (SIGHUP)'],
    [{ status: 'lost' }, 'lost'],
  ])('%j is %s', (change, state) => {
    const [name, shown, ...rest] = rowOf({ ...session, ...change }, now);
    expect([name, shown, rest]).toEqual([
      'build',
      state,
      [`${change.attached ?? 1}`, 'make', '80×24', '12:01'],
    ]);
  });
});

it.each([
  ['/status/build-7', 'build-7'],
  ['/status/build-7/', 'build-7'],
  ['/status', null],
  ['/status/a%20b', null],
])('%s is about %s', (path, name) => {
  expect(workspaceOfStatus(path)).toBe(name);
});
