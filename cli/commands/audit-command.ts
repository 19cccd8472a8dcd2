/** `holdfast audit`: shows who did what in the workspace, newest last like a log. */

import { print, say } from '../../node/print.ts';
import { type ReadAuditEntry, type ReadAuditPage, readAuditPage } from '../../protocol/audit.ts';
import { AUDIT_PAGE_MAX_ROWS } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printableJson } from '../../protocol/printable.ts';
import { apiRequest } from '../client/api-request.ts';
import { auditTable } from '../client/audit-table.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { findSession } from '../client/find-session.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { readLifetime } from '../command-line/lifetime.ts';
import { UsageError } from '../command-line/usage-error.ts';

const LIMIT_DEFAULT = 100;
/** More than the audit trail holds. */
const LIMIT_MAX = 10_000;
const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const auditCommand: Command = {
  name: 'audit',
  summary: 'show who did what',
  about: `Shows who attached, typed, took over, created, closed, renamed and revoked, and what was refused; never what was typed.
Needs an operator token. Entries are kept for 30 days, and no command deletes them.`,
  options: {
    session: { value: '<session>', meaning: 'only this session: id, key, name, or beginning of an id' },
    since: { value: '<time>', meaning: 'only entries since: 90s, 15m, 12h, 7d, or an ISO time' },
    limit: { value: '<number>', meaning: `how many entries to show, the newest (default: ${LIMIT_DEFAULT})` },
    json: { meaning: 'print the entries as the HTTP API returns them: {entries, more}, newest first' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast audit --since 12h', 'what happened today'],
    [`holdfast audit --session build --json | jq '.entries[].who.name'`, 'everybody who used one session'],
  ],
  async run(input) {
    const since = readSince(input.text('since'), new Date());
    const limit = readLimit(input.text('limit'));
    const settings = clientSettings(input);
    const sessions = await withClient(settings, (client) => client.list({ lostToo: true }));
    const session = idOf(sessions, input.text('session'));
    const found = await readTrail(apiRequest(settings), { since, session, limit });
    if (input.has('json')) print(printableJson(found, 2));
    else if (found.entries.length > 0) print(auditTable(found.entries.toReversed(), sessions, new Date()));
    if (found.entries.length === 0) say('holdfast: no matching entries');
    else if (found.more) say('holdfast: there are older entries; --limit or --json shows more');
    return EXIT.ok;
  },
};

interface Wanted {
  readonly since: Date | null;
  readonly session: string | null;
  readonly limit: number;
}

/** Reads page by page, from the newest entry back, until there are enough. */
async function readTrail(get: (path: string) => Promise<unknown>, wanted: Wanted): Promise<ReadAuditPage> {
  const entries: ReadAuditEntry[] = [];
  for (;;) {
    const left = wanted.limit - entries.length;
    const query = new URLSearchParams({ limit: String(Math.min(left, AUDIT_PAGE_MAX_ROWS)) });
    if (wanted.since !== null) query.set('since', wanted.since.toISOString());
    if (wanted.session !== null) query.set('session', wanted.session);
    const last = entries.at(-1);
    if (last !== undefined) query.set('before', String(last.id));
    const page = readAuditPage(await get(`audit?${query}`));
    if (page === null)
      throw new CommandError(EXIT.failed, 'the relay sent an unexpected answer; it may be an older version');
    entries.push(...page.entries);
    if (!page.more || page.entries.length === 0 || entries.length >= wanted.limit)
      return { entries, more: page.more };
  }
}

/** Only the audit trail still knows a closed session, so anything that can be an id is accepted as one. */
function idOf(sessions: readonly SessionInfo[], meant: string | undefined): string | null {
  if (meant === undefined) return null;
  try {
    return findSession(sessions, meant).id;
  } catch (error) {
    const isUnknown = error instanceof CommandError && error.exitCode === EXIT.noSession;
    if (isUnknown && SESSION_ID.test(meant) && !sessions.some(({ name }) => name === meant)) return meant;
    throw error;
  }
}

export function readSince(text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null;
  if (/^\d{1,6}[smhd]$/.test(text)) return new Date(now.getTime() - readLifetime(text) * 1000);
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isFinite(time.getTime())) return time;
  throw new UsageError('--since needs a time like 90s, 15m, 12h or 7d, or 2026-11-16T12:00:00Z');
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new UsageError(`--limit needs a number from 1 to ${LIMIT_MAX}`);
}
