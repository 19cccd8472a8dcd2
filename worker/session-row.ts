/** When a description of a session that has changed is worth writing down: rows are billed, and clients cause them. */
import type { SessionInfo } from '../protocol/messages.ts';

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
