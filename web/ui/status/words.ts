/** Turns a report into text. Pure functions, so that a table of tests can cover every state. */
import { printable } from '../../../protocol/printable.ts';
import { agentTrouble } from '../text/agent-trouble.ts';
import { since } from '../text/since.ts';
import type { Report, ReportedSession, WorkspaceReport } from './report.ts';

interface Headline {
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
        title: 'The relay is not responding',
        sentence: 'Programs on the machine keep running. Pages and agents reconnect automatically.',
      };
    case 'relay':
      return {
        tone: 'good',
        title: 'The relay is running',
        sentence: 'The status of a workspace is at /status/ followed by its name.',
      };
    case 'locked':
      return {
        tone: 'busy',
        title: 'Sign in to see the status',
        sentence:
          'The relay is running. To see this workspace, open its link in this browser, or paste it here.',
      };
    case 'workspace':
      return machineHeadline(report.workspace, now);
  }
}

function machineHeadline({ agent }: WorkspaceReport, now: Date): Headline {
  const trouble = agentTrouble(agent);
  if (trouble !== '')
    return {
      tone: 'busy',
      title: 'The machine is online, but its agent ended repeatedly',
      sentence: `${trouble} Connected since ${whenOf(agent.since, now)}.`,
    };
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
      sentence: 'Start the agent on the machine. `holdfast agent doctor` shows what is missing.',
    };
  return {
    tone: 'bad',
    title: 'The machine is offline',
    sentence: `Offline since ${whenOf(agent.since, now)}, last seen ${whenOf(agent.lastSeen ?? agent.since, now)}. Its shells keep running as long as the machine does.`,
  };
}

const whenOf = (iso: string | null, now: Date) => (iso === null ? 'an unknown time' : since(iso, now));

/** The figures as pairs of term and value. */
export function figuresOf(report: Report): (readonly [term: string, value: string])[] {
  if (report.name === 'unreachable') return [];
  const relay = ['Relay version', printable(report.version)] as const;
  if (report.name !== 'workspace') return [relay];
  const { sessions, clients, agentVersion, agent } = report.workspace;
  return [
    ['Sessions running', `${sessions.running}`],
    ['Detached', `${sessions.orphaned}`],
    ['Ended (viewable)', `${sessions.exited}`],
    ['Clients', `${clients}`],
    relay,
    [
      'Agent version',
      printable(agentVersion ?? '') || (agent.state === 'online' ? 'shown to operators' : 'offline'),
    ],
  ];
}

export const COLUMNS = ['Name', 'State', 'Clients', 'Program', 'Size', 'Last active'];

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
  if (status === 'running') return attached === 0 ? 'running, detached' : 'running';
  if (status === 'lost') return 'lost';
  return signal === null ? `ended (exit code ${exitCode ?? '?'})` : `ended (${signal})`;
}
