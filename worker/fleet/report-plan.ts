/**
 * Decides when a workspace reports to the fleet. Pure functions of time. Rule FL2.
 *
 *            changed                    sending
 *   settled ─────────► due, at a time ──────────► due, later, in case there is no answer
 *      ▲                    ▲ changed meanwhile          │ answered
 *      └────────────────────┴────────────────────────────┘
 *
 * A plan is stored before anything is sent, so that neither an eviction nor a deploy loses a change. What is reported is
 * the state at the time of sending: however many changes there were, the last wins.
 */
import {
  FLEET_REPORT_EVERY_MS,
  FLEET_REPORT_RETRIES_MS,
  FLEET_REPORT_TRIES_MAX,
} from '../../protocol/limits.ts';

export interface ReportPlan {
  /** Of the newest change. It only grows, also if the storage was lost: the fleet keeps the highest. */
  readonly number: number;
  /** When to report; null while the fleet has everything. */
  readonly dueAt: number | null;
  readonly sentAt: number;
  /** How often the newest change was sent. */
  readonly attempts: number;
}

export const NO_PLAN: ReportPlan = { number: 0, dueAt: null, sentAt: 0, attempts: 0 };

/**
 * Something has changed. It is reported as if nothing had failed before; that a machine left, a little later, because
 * most come back at once: the network of one was cut, or the relay was deployed.
 */
export function changed({ number, sentAt }: ReportPlan, isOnline: boolean, now: number): ReportPlan {
  const dueAt = Math.max(pacedFrom(sentAt, now), isOnline ? now : now + FLEET_REPORT_EVERY_MS);
  return { number: Math.max(number + 1, now), dueAt, sentAt, attempts: 0 };
}

export const isDue = ({ dueAt }: ReportPlan, now: number): boolean => dueAt !== null && dueAt <= now;

/** It is sent now. Until there is an answer it counts as lost. */
export function sending({ number, attempts }: ReportPlan, now: number): ReportPlan {
  const tries = attempts + 1;
  const wait = FLEET_REPORT_RETRIES_MS[Math.min(attempts, FLEET_REPORT_RETRIES_MS.length - 1)] ?? 0;
  return { number, dueAt: tries < FLEET_REPORT_TRIES_MAX ? now + wait : null, sentAt: now, attempts: tries };
}

/** The fleet has taken the report of this number. What has changed since is still to be told. */
export function taken(plan: ReportPlan, number: number): ReportPlan {
  return number === plan.number ? { ...plan, dueAt: null, attempts: 0 } : plan;
}

/** A clock that went back delays nothing. */
function pacedFrom(sentAt: number, now: number): number {
  return sentAt > now ? now : Math.max(now, sentAt + FLEET_REPORT_EVERY_MS);
}
