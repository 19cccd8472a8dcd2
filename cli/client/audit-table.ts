/** Formats audit entries as a table. All text in it comes from others and is made printable. */
import { displayName, type ReadAuditEntry } from '../../protocol/audit.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { momentText } from './amounts.ts';
import { SHORT_ID_CHARS } from './find-session.ts';
import { textTable } from './text-table.ts';

const HEADINGS = ['WHEN', 'WHO', 'ROLE', 'CLIENT', 'DID', 'SESSION', 'DETAIL'];

/** Longer values are cut, so that each entry fits one row. */
const CELL_MAX_CHARS = 40;

export function auditTable(
  entries: readonly ReadAuditEntry[],
  sessions: readonly SessionInfo[],
  now: Date,
): string {
  const names = new Map(sessions.map(({ id, name }) => [id, name]));
  const rows = entries.map((entry) => [
    whenOf(entry, now),
    cell(entry.who === null ? '-' : displayName(entry.who)),
    cell(entry.who?.role ?? '-'),
    cell(entry.who?.client ?? '-'),
    cell(entry.action.replaceAll('_', ' ') + (entry.count > 1 ? ` ×${entry.count}` : '')),
    cell(entry.session === null ? '-' : (names.get(entry.session) ?? entry.session.slice(0, SHORT_ID_CHARS))),
    cell(entry.detail ?? ''),
  ]);
  return textTable([HEADINGS, ...rows]);
}

function cell(text: string): string {
  const shown = printable(text);
  return shown.length > CELL_MAX_CHARS ? `${shown.slice(0, CELL_MAX_CHARS - 1)}…` : shown || '-';
}

/** "14:02", with the date when it is another day, and the end of the range for entries that count several events. */
function whenOf({ at, until }: ReadAuditEntry, now: Date): string {
  const [from, to] = [momentText(at, now), momentText(until, now)];
  return from === to ? from : `${from} – ${to}`;
}
