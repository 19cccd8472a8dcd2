/**
 * Decides which peers are still connected, and when to check again. Pure functions of time. Rules RL8 to RL10.
 *
 * A dead network path closes no socket, so a peer is judged by when it was last heard. Heartbeats count, although the
 * platform answers them without waking the object. Checking is free while other events arrive. An alarm would wake a
 * sleeping object, so one is set only if somebody waits for the verdict.
 */
import { PING_EVERY_MS, PONG_WITHIN_MS } from '../../protocol/connection.ts';
import type { Credential } from './peer.ts';

/** Two heartbeats and a slow path. Alone it guarantees that a dead peer is "forgotten within 45 s". */
export const SILENT_AFTER_MS = 30_000;

/** A live peer has sent a heartbeat within this time; one that has not is suspect. */
export const LATE_AFTER_MS = PING_EVERY_MS + PONG_WITHIN_MS + 2_000;

/** A token may be valid for years; the alarm is set again until it expires. */
const LONGEST_ALARM_MS = 30 * 24 * 3_600_000;

export interface Seated {
  readonly credential: Pick<Credential, 'expiresAt'>;
  /** When the peer was last heard; its arrival counts. */
  readonly heardAt: number;
  /** Somebody waits for the verdict on this peer, so an alarm is set if nothing else happens. */
  readonly awaited: boolean;
}

type LivenessVerdict = 'here' | 'late' | 'silent' | 'expired';

export function verdictOn({ credential, heardAt }: Seated, now: number): LivenessVerdict {
  if (now >= credential.expiresAt) return 'expired';
  if (now - heardAt >= SILENT_AFTER_MS) return 'silent';
  return now - heardAt >= LATE_AFTER_MS ? 'late' : 'here';
}

/** The earliest time at which any verdict can change. Checking before that is pointless. */
export function nextLook(seated: Iterable<Seated>, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const one of seated) {
    const change = verdictOn(one, now) === 'late' ? SILENT_AFTER_MS : LATE_AFTER_MS;
    next = Math.min(next, one.credential.expiresAt, one.heardAt + change);
  }
  return next;
}

/** When the object must be woken even without events; null for never, as with an idle pair. [RL9] */
export function nextAlarm(seated: Iterable<Seated>, now: number): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const one of seated) {
    next = Math.min(next, one.credential.expiresAt);
    const suspect = one.awaited || verdictOn(one, now) === 'late';
    if (suspect) next = Math.min(next, one.heardAt + SILENT_AFTER_MS);
  }
  return next === Number.POSITIVE_INFINITY ? null : Math.min(next, now + LONGEST_ALARM_MS);
}
