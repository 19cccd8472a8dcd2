/** What the registry stores of a session, and what a client may be sent: lengths at their limits. */
import { describe, expect, it } from 'vitest';
import {
  NAME_MAX_CHARS,
  PATH_MAX_CHARS,
  SESSION_INFO_MAX_BYTES,
  TOLD_BURST_MAX_BYTES,
  TOLD_MAX_BYTES,
  TOLD_PER_S_MAX_BYTES,
} from '../../../protocol/limits.ts';
import { ToldMeter } from '../../../worker/metering/told-meter.ts';
import { Registry } from '../../../worker/registry/registry.ts';
import { differsInPassing, fitting } from '../../../worker/registry/session-row.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;
const escaped = (chars: number) => '\u0001'.repeat(chars);

describe('a row of the registry', () => {
  it('[X9] keeps what fits', () => {
    const session = sessionInfo('s1', { cwd: `/${'d'.repeat(1000)}`, title: 'vim', foreground: 'vim' });
    expect(fitting(session)).toEqual(session);
  });

  it('[X9] leaves out the directory, then the title, then the program, until it fits', () => {
    const cwd = `/${'d'.repeat(PATH_MAX_CHARS - 1)}`;
    expect(fitting(sessionInfo('s1', { cwd, title: 'vim' }))).toMatchObject({
      cwd: null,
      title: 'vim',
    });
    const name = escaped(NAME_MAX_CHARS);
    const worst = sessionInfo('s'.repeat(64), {
      key: name,
      name,
      title: name,
      foreground: name,
      cwd,
      epoch: 'e'.repeat(64),
      orphanedSince: '2026-01-01T00:00:00.000Z',
      signal: 'SIGKILL',
      graceMs: 86_400_000,
    });
    const row = fitting(worst);
    expect(bytesOf(JSON.stringify(row))).toBeLessThanOrEqual(SESSION_INFO_MAX_BYTES);
    expect(row).toMatchObject({ key: name, name, cwd: null, title: null, foreground: null });
  });

  it('[X9] distinguishes values that change by themselves from lasting ones', () => {
    const known = sessionInfo('s1');
    const passing = {
      title: 't',
      cwd: '/x',
      foreground: 'vi',
      bufferBytes: 9,
      lastActivityAt: '2026-02-01T00:00:00.000Z',
    };
    expect(differsInPassing(known, sessionInfo('s1', passing))).toBe(true);
    for (const lasting of [{ status: 'exited' }, { name: 'n' }, { attached: 1 }, { cols: 81 }] as const) {
      expect(differsInPassing(known, sessionInfo('s1', lasting))).toBe(false);
    }
    expect(differsInPassing(null, known)).toBe(false);
  });
});

describe('redeemed tickets', () => {
  it('[GT7] [SEC21] are forgotten once they have expired, and looked through once a minute', () => {
    const { sql, writes } = sqliteStorage();
    const registry = new Registry(sql, 0);
    const count = () => sql.exec<{ n: number }>('SELECT count(*) AS n FROM redeemed_tickets').toArray()[0]?.n;
    const redeem = (id: string, now: number) => registry.redeem({ id, expiresAt: now + 30_000 }, now);
    redeem('first', 0);
    const before = writes();
    for (let i = 0; i < 100; i++) redeem(`ticket-${i}`, 1_000);
    expect(writes() - before, 'statements that write').toBe(100);
    expect([redeem('first', 20_000), count()]).toEqual([false, 101]);
    redeem('later', 400_000);
    expect(count()).toBe(1);
  });
});

describe('the answers to a client', () => {
  it('[X9] are limited at once', () => {
    const meter = new ToldMeter(0);
    expect(meter.tells(TOLD_BURST_MAX_BYTES, 0)).toBe(true);
    expect(meter.tells(1, 0)).toBe(false);
  });

  it('[X9] are limited over the life of a connection, however slowly they are requested', () => {
    const meter = new ToldMeter(0);
    const seconds = TOLD_MAX_BYTES / TOLD_PER_S_MAX_BYTES;
    for (let s = 0; s < seconds; s++) expect(meter.tells(TOLD_PER_S_MAX_BYTES, s * 1000)).toBe(true);
    expect(meter.tells(1, seconds * 1000)).toBe(false);
  });
});
