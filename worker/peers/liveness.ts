/**
 * Who is still there, and when to look again. Pure: times go in, verdicts come out. Rules RL8 to RL10.
 *
 * A dead path closes nothing, so a peer is judged by when it was last heard; its heartbeats count although the
 * platform answers them without waking the object. Looking costs nothing while events come anyway. An alarm
 * wakes an object that would sleep, so one is wanted only where somebody waits for the verdict.
 */
import { PING_EVERY_MS, PONG_WITHIN_MS } from '../../protocol/connection.ts';
import type { Credential } from './peer.ts';

/** Two heartbeats and a slow path. Together with nothing else it keeps "forgotten within 45 s". */
export const SILENT_AFTER_MS = 30_000;

/** A peer that lives has sent a heartbeat within this; one that has not is suspect. */
export const LATE_AFTER_MS = PING_EVERY_MS + PONG_WITHIN_MS + 2_000;

/** A token may be good for years; the alarm is set anew until then. */
const LONGEST_ALARM_MS = 30 * 24 * 3_600_000;

export interface Seated {
  readonly credential: Pick<Credential, 'expiresAt'>;
  /** When anything was last heard of it; its arrival counts. */
  readonly heardAt: number;
  /** Somebody waits to be told when this one is gone: by alarm, if nothing else happens. */
  readonly awaited: boolean;
}

type LivenessVerdict = 'here' | 'late' | 'silent' | 'expired';

export function verdictOn({ credential, heardAt }: Seated, now: number): LivenessVerdict {
  if (now >= credential.expiresAt) return 'expired';
  if (now - heardAt >= SILENT_AFTER_MS) return 'silent';
  return now - heardAt >= LATE_AFTER_MS ? 'late' : 'here';
}

/** The first moment at which any verdict can be another; until then looking is idle. */
export function nextLook(seated: Iterable<Seated>, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const one of seated) {
    const change = verdictOn(one, now) === 'late' ? SILENT_AFTER_MS : LATE_AFTER_MS;
    next = Math.min(next, one.credential.expiresAt, one.heardAt + change);
  }
  return next;
}

/** When the object must be woken though nothing happens; null for never, as with an idle pair. [RL9] */
export function nextAlarm(seated: Iterable<Seated>, now: number): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const one of seated) {
    next = Math.min(next, one.credential.expiresAt);
    const suspect = one.awaited || verdictOn(one, now) === 'late';
    if (suspect) next = Math.min(next, one.heardAt + SILENT_AFTER_MS);
  }
  return next === Number.POSITIVE_INFINITY ? null : Math.min(next, now + LONGEST_ALARM_MS);
}
