/**
 * A session's description as the registry stores it: bounded in size, and written only when something worth storing has
 * changed.
 */
import { SESSION_INFO_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { isLongerThan } from '../platform/byte-length.ts';

/** Drops strings that programs choose, the longest first, until the rest fits. Names and times always fit. */
export function fitting(session: SessionInfo): SessionInfo {
  const candidates: SessionInfo[] = [
    session,
    { ...session, cwd: null },
    { ...session, cwd: null, title: null },
  ];
  const fits = (candidate: SessionInfo) => !isLongerThan(JSON.stringify(candidate), SESSION_INFO_MAX_BYTES);
  return candidates.find(fits) ?? { ...session, cwd: null, title: null, foreground: null };
}

/** Whether two descriptions differ only in fields that change by themselves and matter briefly. */
export function differsInPassing(known: SessionInfo | null, told: SessionInfo): boolean {
  return known !== null && lasting(known) === lasting(told);
}

function lasting(session: SessionInfo): string {
  const { id, key, name, status, exitCode, signal, cols, rows, epoch, graceMs, orphanedSince } = session;
  const isAttached = session.attached > 0;
  const attention = session.attention?.at ?? null;
  return JSON.stringify([
    [id, key, name, status, exitCode, signal],
    [cols, rows, epoch, graceMs ?? null, orphanedSince, isAttached, attention],
  ]);
}

/** How often the last activity of a busy session is written. */
export const ACTIVITY_WRITTEN_EVERY_MS = 60_000;

/** Whether `next` changes nothing that must be written, given that `written` is stored. */
export function isWorthNoRow(written: SessionInfo, next: SessionInfo): boolean {
  const elapsed = Date.parse(next.lastActivityAt) - Date.parse(written.lastActivityAt);
  if (Math.abs(elapsed) >= ACTIVITY_WRITTEN_EVERY_MS) return false;
  return settled(written) === settled(next);
}

/** Without the fields that change with every printed line. */
function settled({ lastActivityAt: _at, bufferBytes: _bytes, ...rest }: SessionInfo): string {
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
