/** A session's description as the registry keeps it: bounded, and written when it says something new. */
import { SESSION_INFO_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages.ts';
import { isLongerThan } from '../platform/byte-length.ts';

/** What programs choose is left out, the longest first, until the rest fits; names and times always do. */
export function fitting(session: SessionInfo): SessionInfo {
  const candidates: SessionInfo[] = [
    session,
    { ...session, cwd: null },
    { ...session, cwd: null, title: null },
  ];
  const fits = (candidate: SessionInfo) => !isLongerThan(JSON.stringify(candidate), SESSION_INFO_MAX_BYTES);
  return candidates.find(fits) ?? { ...session, cwd: null, title: null, foreground: null };
}

/** Whether two descriptions differ only in what changes by itself and matters to nobody for long. */
export function differsInPassing(known: SessionInfo | null, told: SessionInfo): boolean {
  return known !== null && lasting(known) === lasting(told);
}

function lasting(session: SessionInfo): string {
  const { id, key, name, status, exitCode, signal, cols, rows, epoch, graceMs, orphanedSince } = session;
  const isAttached = session.attached > 0;
  return JSON.stringify([
    [id, key, name, status, exitCode, signal],
    [cols, rows, epoch, graceMs ?? null, orphanedSince, isAttached],
  ]);
}

/** Of a session in which something happens all the time, when that last was is written this often. */
export const ACTIVITY_WRITTEN_EVERY_MS = 60_000;

/** Whether `next` says nothing that has to be written, after `written` was. */
export function isWorthNoRow(written: SessionInfo, next: SessionInfo): boolean {
  const elapsed = Date.parse(next.lastActivityAt) - Date.parse(written.lastActivityAt);
  if (Math.abs(elapsed) >= ACTIVITY_WRITTEN_EVERY_MS) return false;
  return settled(written) === settled(next);
}

/** Without what changes with every line that is printed. */
function settled({ lastActivityAt: _at, bufferBytes: _bytes, ...rest }: SessionInfo): string {
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}
