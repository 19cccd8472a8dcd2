/**
 * What a workspace tells the fleet about its machine, and which changes it tells. Pure. Rule FL1.
 */
import type { Attention } from '../../protocol/messages/attention.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { AttentionSummary } from '../../protocol/owner-answers.ts';

export interface MachineReport {
  readonly isOnline: boolean;
  /** Since when it is online or offline, in milliseconds since 1970; null if that is not known. */
  readonly since: number | null;
  /** For a machine that is offline: when it was last heard. */
  readonly lastSeen: number | null;
  /** Running ones. */
  readonly sessions: number;
  /** Null while no session wants any. */
  readonly attention: AttentionSummary | null;
  /** The version of its agent; null if the agent does not say. */
  readonly version: string | null;
}

/** How many sessions want attention, by why. */
export type AttentionCounts = Readonly<Partial<Record<Attention['state'], number>>>;

/** The most urgent first. [AS6] */
const URGENCY: readonly Attention['state'][] = ['asks', 'failed', 'done'];

export function attentionOf(counts: AttentionCounts): AttentionSummary | null {
  const wanting = URGENCY.filter((state) => (counts[state] ?? 0) > 0);
  const [state] = wanting;
  if (state === undefined) return null;
  return { state, count: wanting.reduce((sum, one) => sum + (counts[one] ?? 0), 0) };
}

/** Whether what an agent tells of a session changes what is reported. Output, titles and directories never do. */
export function changesReport(before: SessionInfo | null, told: SessionInfo): boolean {
  return before?.status !== told.status || before.attention?.state !== told.attention?.state;
}

/** When a machine was last heard says nothing new by itself. */
export function saysTheSame(one: MachineReport | null, other: MachineReport): boolean {
  const lasting = ({ isOnline, since, sessions, attention, version }: MachineReport) =>
    JSON.stringify([isOnline, since, sessions, attention?.state, attention?.count, version]);
  return one !== null && lasting(one) === lasting(other);
}
