/**
 * Decides what is pushed, when, and what becomes of a push that was not delivered. Pure functions of time.
 *
 * A push belongs to a moment: a session and the `at` of its attention. Each moment is pushed once, and a session at most
 * once a minute; what happens in between is pushed at the end of that minute, if nobody has looked by then.
 */
import { PUSH_EVERY_MS, PUSH_RETRIES_MS } from '../../protocol/limits.ts';

/** What was last decided for a session. */
export interface Planned {
  /** The `at` of the attention. */
  readonly moment: string;
  /** When it was or will be pushed. */
  readonly dueAt: number;
}

/** What to plan when a session's attention has become that of `moment`; null when that was planned already. */
export function plan(moment: string, last: Planned | null, now: number): Planned | null {
  if (moment === last?.moment) return null;
  return { moment, dueAt: last === null ? now : dueAfter(last.dueAt, now) };
}

/** One that waits for its time is replaced by the newer one, at the same time. A clock that went back delays nothing. */
function dueAfter(lastDueAt: number, now: number): number {
  if (lastDueAt > now + PUSH_EVERY_MS) return now;
  return lastDueAt > now ? lastDueAt : Math.max(now, lastDueAt + PUSH_EVERY_MS);
}

/** The answer of a push service; null when there was none in time. */
export interface PushAnswer {
  readonly status: number;
  readonly retryAfterMs: number | null;
}

export type PushOutcome =
  | { readonly kind: 'sent' }
  /** The browser has given up this subscription. */
  | { readonly kind: 'gone' }
  /** The service does not accept this push, and will not later. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'retry'; readonly dueAt: number };

/** `attempts`: how often it was sent, including this time. */
export function outcomeOf(answer: PushAnswer | null, attempts: number, now: number): PushOutcome {
  const status = answer?.status ?? 0;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const delayMs = PUSH_RETRIES_MS[attempts - 1];
  const mayRecover = status === 0 || status === 408 || status === 429 || status >= 500;
  if (!mayRecover || delayMs === undefined) return { kind: 'refused' };
  const askedMs = Math.min(answer?.retryAfterMs ?? 0, PUSH_RETRIES_MS[PUSH_RETRIES_MS.length - 1] ?? 0);
  return { kind: 'retry', dueAt: now + Math.max(delayMs, askedMs) };
}

/** The header `Retry-After`, in seconds; services do not send it as a date. Null when it is neither sent nor a number. */
export function retryAfterMs(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}
