/** Formats sessions as a table. */
import { PATH_MAX_CHARS, PERSON_NAME_MAX_CHARS } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { SHORT_ID_CHARS } from './find-session.ts';
import { textTable } from './text-table.ts';

const HEADINGS = ['ID', 'NAME', 'STATUS', 'CLIENTS', 'SIZE', 'RUNS', 'WHERE', 'ACTIVE'];

/** Longer reasons are cut, so that each session fits one row. */
const ATTENTION_MAX_CHARS = 40;

/** Sessions that want attention come first. There is a column for that, and one for people, only if it says something. */
export function sessionTable(sessions: readonly SessionInfo[], now: Date): string {
  const isCalling = ({ attention }: SessionInfo) => attention !== undefined;
  const sorted = [...sessions.filter(isCalling), ...sessions.filter((session) => !isCalling(session))];
  const isAnyCalling = sessions.some(isCalling);
  const isAnybodyHere = sessions.some(({ people = [] }) => people.length > 0);
  const rows = sorted.map((session) => [
    printable(session.id, SHORT_ID_CHARS),
    printable(session.name) || '-',
    printable(sessionStatus(session)),
    String(session.attached),
    `${session.cols}x${session.rows}`,
    printable(session.foreground ?? '') || '-',
    printable(session.cwd ?? '', PATH_MAX_CHARS) || '-',
    `${ago(new Date(session.lastActivityAt), now)} ago`,
    ...(isAnybodyHere ? [peopleCell(session)] : []),
    ...(isAnyCalling ? [attentionCell(session)] : []),
  ]);
  const headings = [
    ...HEADINGS,
    ...(isAnybodyHere ? ['WATCHED BY'] : []),
    ...(isAnyCalling ? ['ATTENTION'] : []),
  ];
  return textTable([headings, ...rows]);
}

/** "Anna, Bob". */
function peopleCell({ people = [] }: SessionInfo): string {
  return people.map(({ name }) => printable(name, PERSON_NAME_MAX_CHARS)).join(', ') || '-';
}

/** "asks: Allow this?". */
function attentionCell({ attention }: SessionInfo): string {
  if (attention === undefined) return '';
  const { state, text, guessed } = attention;
  const said = printable(text);
  const what = `${state}${guessed ? ' (a guess)' : ''}${said === '' ? '' : `: ${said}`}`;
  return what.length > ATTENTION_MAX_CHARS ? `${printable(what, ATTENTION_MAX_CHARS - 1)}…` : what;
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
