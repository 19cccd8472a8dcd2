/** A report in words: pure, so that every state can be read in a table of tests. */
import { printable } from '../../../protocol/terminal/printable.ts';
import { since } from '../since.ts';
import type { Report, ReportedSession, WorkspaceReport } from './report.ts';

export interface Headline {
  readonly tone: 'good' | 'busy' | 'bad';
  readonly title: string;
  /** What it means, or what to do. */
  readonly sentence: string;
}

export function headlineOf(report: Report, now: Date): Headline {
  switch (report.name) {
    case 'unreachable':
      return {
        tone: 'bad',
        title: 'The relay does not answer',
        sentence: 'Shells on the machine run on; pages and agents dial again by themselves.',
      };
    case 'relay':
      return {
        tone: 'good',
        title: 'The relay answers',
        sentence: 'The status of a workspace is at /status/ and its name.',
      };
    case 'locked':
      return {
        tone: 'busy',
        title: 'This status needs a link',
        sentence:
          'The relay answers. To see the workspace, open its link in this browser first, or put #token=… behind this address.',
      };
    case 'workspace':
      return machineHeadline(report.workspace, now);
  }
}

function machineHeadline({ agent }: WorkspaceReport, now: Date): Headline {
  if (agent.state === 'online')
    return {
      tone: 'good',
      title: 'The machine is online',
      sentence: `Connected since ${whenOf(agent.since, now)}.`,
    };
  if (agent.since === null)
    return {
      tone: 'busy',
      title: 'No machine has connected yet',
      sentence: 'Start the agent there; `holdfast agent doctor` says what is missing.',
    };
  return {
    tone: 'bad',
    title: 'The machine is offline',
    sentence: `Not connected since ${whenOf(agent.since, now)}; last heard of ${whenOf(agent.lastSeen ?? agent.since, now)}. Its shells run on if it does.`,
  };
}

const whenOf = (iso: string | null, now: Date) => (iso === null ? 'an unknown time' : since(iso, now));

/** The figures, as terms and what they are. */
export function figuresOf(report: Report): (readonly [term: string, value: string])[] {
  if (report.name === 'unreachable') return [];
  const relay = ['Relay version', printable(report.version)] as const;
  if (report.name !== 'workspace') return [relay];
  const { sessions, clients, agentVersion, agent } = report.workspace;
  return [
    ['Sessions running', `${sessions.running}`],
    ['Nobody attached', `${sessions.orphaned}`],
    ['Ended, readable', `${sessions.exited}`],
    ['Clients', `${clients}`],
    relay,
    [
      'Agent version',
      printable(agentVersion ?? '') || (agent.state === 'online' ? 'told to operators' : 'away'),
    ],
  ];
}

export const COLUMNS = ['Name', 'State', 'Clients', 'Runs', 'Size', 'Last active'];

export function rowOf(session: ReportedSession, now: Date): string[] {
  const { name, attached, cols, rows, foreground, lastActivityAt } = session;
  return [
    printable(name),
    printable(stateOf(session)),
    `${attached}`,
    printable(foreground ?? '') || '–',
    `${cols}×${rows}`,
    since(lastActivityAt, now),
  ];
}

function stateOf({ status, exitCode, signal, attached }: ReportedSession): string {
  if (status === 'running') return attached === 0 ? 'running, nobody attached' : 'running';
  if (status === 'lost') return 'lost';
  return signal === null ? `ended with ${exitCode ?? '?'}` : `ended by ${signal}`;
}
