/** The table of `holdfast audit`: data of a relay, made printable. */
import { describe, expect, it } from 'vitest';
import { auditTable } from '../../../cli/client/audit-table.ts';
import { readSince } from '../../../cli/commands/audit-command.ts';
import { displayName, type ReadAuditEntry, readAuditPage } from '../../../protocol/audit.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const NOW = new Date(2026, 10, 16, 18, 30);
const at = (hour: number, minute: number, day = 16) => new Date(2026, 10, day, hour, minute).toISOString();

const entry = (changes: Partial<ReadAuditEntry> = {}): ReadAuditEntry => ({
  id: 1,
  at: at(14, 2),
  until: at(14, 2),
  action: 'took_over',
  who: { name: 'Ada', tokenId: 'abcdefghijkl', role: 'operator', client: 'page' },
  session: 's1',
  count: 1,
  detail: null,
  ...changes,
});

describe('the table', () => {
  it('shows who did what, when and where, with counts, time spans and dates', () => {
    const rows = [
      entry({ at: at(23, 59, 15), until: at(23, 59, 15), session: 'gone-session', detail: 'Build' }),
      entry({ until: at(14, 40), action: 'typed', count: 12 }),
      entry({ who: null, action: 'ended', detail: 'idle', session: null }),
    ];
    expect(auditTable(rows, [sessionInfo('s1', { name: 'work' })], NOW).split('\n')).toEqual([
      'WHEN              WHO  ROLE      CLIENT  DID        SESSION   DETAIL',
      '2026-11-15 23:59  Ada  operator  page    took over  gone-ses  Build',
      '14:02 – 14:40     Ada  operator  page    typed ×12  work      -',
      '14:02             -    -         -       ended      -         idle',
    ]);
  });

  it('[X10] shows no control characters of other people', () => {
    const evil = '\x1b]52;c;eA\x07\x9b2J\u202e\n';
    const hostile = entry({
      who: { name: evil, tokenId: evil, role: evil, client: evil },
      action: evil,
      session: evil,
      detail: evil,
    });
    const table = auditTable([hostile], [], NOW);
    expect(table.split('\n')).toHaveLength(2);
    expect(table.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('[AU7] shows a token without a name by the beginning of its id', () => {
    expect(displayName({ name: null, tokenId: 'abcdefghijkl' })).toBe('token abcdefgh');
    expect(displayName({ name: '\x1b', tokenId: 'abcdefghijkl' })).toBe('token abcdefgh');
  });

  it('[AU6] accepts actions of a newer relay, and rejects everything that is not a page of entries', () => {
    const page = { entries: [entry({ action: 'invented' })], more: false };
    expect(readAuditPage(page)).toEqual(page);
    expect(readAuditPage({ entries: [{ ...entry(), at: 'soon' }], more: false })).toBeNull();
    expect(readAuditPage(null)).toBeNull();
  });
});

describe('--since', () => {
  it.each([
    ['90s', NOW.getTime() - 90_000],
    ['2h', NOW.getTime() - 7_200_000],
    ['2026-11-16T00:00:00.000Z', Date.parse('2026-11-16T00:00:00.000Z')],
  ])('%s', (text, time) => {
    expect(readSince(text, NOW)?.getTime()).toBe(time);
  });
});
