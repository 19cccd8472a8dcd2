/** What the owner's page says of a machine and of its audit trail. */
import { describe, expect, it } from 'vitest';
import type { ReadAuditEntry } from '../../../../protocol/audit.ts';
import type { FleetMachine } from '../../../../protocol/owner-answers.ts';
import { whatHappened, whenItWas, whoDid } from '../../../../web/ui/owner/audit-words.ts';
import { attentionLine, factsLine, matches, stateLine } from '../../../../web/ui/owner/machine-words.ts';

const NOW = new Date(2026, 10, 18, 15, 0);
const at = (hours: number, minutes = 0) => new Date(2026, 10, 18, hours, minutes).toISOString();
const machine = (changes: Partial<FleetMachine> = {}): FleetMachine => ({
  ...{ name: 'build-7', displayName: null, origin: 'invite', fingerprint: null, joinedAt: null },
  ...{ state: 'online', since: at(14, 2), lastSeen: null, sessions: 3, attention: null, version: '0.1.0' },
  ...changes,
});

describe('a machine', () => {
  it.each([
    [machine(), 'Online since 14:02'],
    [machine({ since: null }), 'Online'],
    [machine({ state: 'offline', lastSeen: at(13, 59) }), 'Offline, last seen 13:59'],
    [machine({ state: 'offline' }), 'Offline, last seen 14:02'],
    [machine({ state: 'offline', since: null }), 'Offline'],
    [machine({ state: 'unknown', since: null }), 'Has not connected yet'],
  ])('[J3] %#: %s', (given, text) => {
    expect(stateLine(given, NOW)).toBe(text);
  });

  it.each([
    [null, null],
    [{ state: 'asks', count: 1 }, '1 session asks'],
    [{ state: 'failed', count: 1 }, '1 session has failed'],
    [{ state: 'done', count: 1 }, '1 session is done'],
    [{ state: 'asks', count: 3 }, '3 sessions want attention: one asks'],
    [{ state: 'failed', count: 2 }, '2 sessions want attention: one has failed'],
    [{ state: 'done', count: 2 }, '2 sessions want attention: done'],
  ] as const)('[J3] that wants %j says %s', (attention, text) => {
    expect(attentionLine(machine({ attention }))).toBe(text);
  });

  it('[J3] has facts, as far as they are known', () => {
    expect(factsLine(machine({ joinedAt: at(9) }), NOW)).toBe('3 sessions · Agent 0.1.0 · Joined 09:00');
    expect(factsLine(machine({ sessions: 1, origin: 'token', version: null }), NOW)).toBe(
      '1 session · Connected with a token',
    );
    expect(factsLine(machine({ state: 'unknown', version: null, joinedAt: at(9) }), NOW)).toBe(
      'Joined 09:00',
    );
  });

  it('[J3] is found by both of its names', () => {
    const named = machine({ displayName: 'The fast one' });
    for (const text of ['', 'BUILD', 'fast', 'one -7']) expect(matches(named, text), text).toBe(true);
    expect(matches(named, 'slow')).toBe(false);
  });
});

const entry = (changes: Partial<ReadAuditEntry> = {}): ReadAuditEntry => ({
  ...{ id: 1, at: at(14), until: at(14), action: 'typed', session: 'abcdefghijk', count: 1, detail: null },
  who: { name: 'Ann', tokenId: 'token-1234', role: 'operator', client: 'page' },
  ...changes,
});

describe('an entry of the audit trail', () => {
  it('[J3] says what happened, in which session, how often', () => {
    expect(whatHappened(entry())).toBe('Typed · session abcdefgh');
    expect(whatHappened(entry({ count: 4, session: null, detail: 'x\u202ey' }))).toBe('Typed ×4 · xy');
    expect(whatHappened(entry({ action: 'was_new', session: null }))).toBe('was new');
  });

  it('[J3] says who did it, and when', () => {
    expect(whoDid(entry())).toBe('Ann (operator, page)');
    const nameless = { name: null, tokenId: 'token-1234', role: 'agent', client: 'agent' };
    expect(whoDid(entry({ who: nameless }))).toBe('token token-12 (agent, machine)');
    expect(whoDid(entry({ who: null }))).toBe('The relay');
    expect(whenItWas(entry(), NOW)).toBe('14:00');
    expect(whenItWas(entry({ until: at(14, 30) }), NOW)).toBe('14:00 – 14:30');
  });
});
