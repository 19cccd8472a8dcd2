/** What the entries of an audit trail say, in words. */
import { displayName, type ReadAuditEntry } from '../../../protocol/audit.ts';
import { printable } from '../../../protocol/printable.ts';
import { since } from '../text/since.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  attached: 'Opened',
  left: 'Left',
  typed: 'Typed',
  signalled: 'Sent a signal',
  took_over: 'Changed the size',
  created: 'Created',
  close_asked: 'Asked to close',
  closed: 'Closed',
  ended: 'Ended by a rule',
  renamed: 'Renamed',
  revoked: 'Revoked',
  revocation_undone: 'Undid a revocation',
  agent_connected: 'Machine connected',
  agent_key_pinned: 'Key of the machine stored',
  agent_key_reset: 'Key of the machine removed',
  refused: 'Refused',
};

/** As much of an id as tells sessions apart. */
const SHORT_ID_CHARS = 8;
const DETAIL_MAX_CHARS = 128;

/** A newer relay may record what this page does not know. */
export function whatHappened({ action, count, session, detail }: ReadAuditEntry): string {
  const did = ACTIONS[action] ?? printable(action.replaceAll('_', ' '), DETAIL_MAX_CHARS);
  const parts = [
    count > 1 ? `${did} ×${count}` : did,
    ...(session === null ? [] : [`session ${printable(session).slice(0, SHORT_ID_CHARS)}`]),
    ...(detail === null ? [] : [printable(detail, DETAIL_MAX_CHARS)]),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

const CLIENTS: Readonly<Record<string, string>> = {
  page: 'page',
  cli: 'command line',
  api: 'API',
  terminal: 'terminal',
  client: 'program',
  agent: 'machine',
};

/** `The relay` if no person did it. */
export function whoDid({ who }: ReadAuditEntry): string {
  if (who === null) return 'The relay';
  const client = CLIENTS[who.client] ?? printable(who.client, DETAIL_MAX_CHARS);
  return `${displayName(who)} (${printable(who.role, DETAIL_MAX_CHARS)}, ${client})`;
}

/** The end too, for entries that count several events. */
export function whenItWas({ at, until }: ReadAuditEntry, now: Date): string {
  const [from, to] = [since(at, now), since(until, now)];
  return from === to ? from : `${from} – ${to}`;
}
