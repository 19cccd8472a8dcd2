/** Formats sessions as a table. */
import { PATH_MAX_CHARS } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { SHORT_ID_CHARS } from './find-session.ts';
import { textTable } from './text-table.ts';

const HEADINGS = ['ID', 'NAME', 'STATUS', 'CLIENTS', 'SIZE', 'RUNS', 'WHERE', 'ACTIVE'];

export function sessionTable(sessions: readonly SessionInfo[], now: Date): string {
  const rows = sessions.map((session) => [
    printable(session.id, SHORT_ID_CHARS),
    printable(session.name) || '-',
    printable(sessionStatus(session)),
    String(session.attached),
    `${session.cols}x${session.rows}`,
    printable(session.foreground ?? '') || '-',
    printable(session.cwd ?? '', PATH_MAX_CHARS) || '-',
    `${ago(new Date(session.lastActivityAt), now)} ago`,
  ]);
  return textTable([HEADINGS, ...rows]);
}

function sessionStatus({ status, exitCode, signal }: SessionInfo): string {
  if (status !== 'exited') return status;
  return signal === null ? `exited ${exitCode ?? '?'}` : `exited ${signal}`;
}

/** A duration in its largest unit. */
export function ago(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - from.getTime()) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
