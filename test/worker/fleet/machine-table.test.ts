/** What the fleet keeps of its machines. On Node's own SQLite. */
import { describe, expect, it } from 'vitest';
import { FLEET_MACHINES_MAX, FLEET_UNINVITED_KEPT_MS } from '../../../protocol/limits.ts';
import type { MachineReport } from '../../../worker/fleet/machine-report.ts';
import { MachineTable } from '../../../worker/fleet/machine-table.ts';
import { sqliteStorage } from '../../support/sqlite-storage.ts';

const NOW = 1_800_000_000_000;
const online = (changes: Partial<MachineReport> = {}): MachineReport => ({
  ...{ isOnline: true, since: NOW, lastSeen: null, sessions: 0, attention: null, version: null },
  ...changes,
});
const offline = (lastSeen = NOW): MachineReport => online({ isOnline: false, lastSeen });
const joined = (name: string) => ({
  ...{ name, fingerprint: `SHA256:${name}`, joinedAt: NOW, tokenId: 't', tokenExpiresAt: NOW + 9e9 },
});
const table = () => new MachineTable(sqliteStorage().sql);
const namesIn = (machines: MachineTable, now = NOW) => machines.list(now).map(({ name }) => name);

describe('the machines of a fleet', () => {
  it('[FL3] are those that have joined, with what they reported last', () => {
    const machines = table();
    machines.keep(joined('build-1'));
    expect(machines.list(NOW)).toEqual([
      {
        name: 'build-1',
        label: null,
        joined: { fingerprint: 'SHA256:build-1', joinedAt: NOW },
        report: null,
      },
    ]);
    const report = online({ sessions: 3, attention: { state: 'asks', count: 2 }, version: '0.1.0' });
    expect(machines.report('build-1', 5, report, NOW)).toBe(true);
    expect(machines.get('build-1')?.report).toEqual(report);
  });

  it('[FL3] of two reports the one with the higher number wins, in whatever order they come', () => {
    const machines = table();
    machines.keep(joined('build-1'));
    expect(machines.report('build-1', 7, online({ sessions: 2 }), NOW)).toBe(true);
    for (const number of [6, 7])
      expect(machines.report('build-1', number, online({ sessions: 9 }), NOW)).toBe(false);
    expect(machines.get('build-1')?.report?.sessions).toBe(2);
  });

  it('[J3] [FL3] include one that nobody invited, once it is online', () => {
    const machines = table();
    expect(machines.report('local', 1, offline(), NOW), 'it may have been removed').toBe(false);
    expect(machines.report('local', 2, online(), NOW)).toBe(true);
    expect(machines.get('local')).toMatchObject({ joined: null, report: { isOnline: true } });
    machines.report('local', 3, offline(), NOW);
    expect(namesIn(machines)).toEqual(['local']);
    expect(namesIn(machines, NOW + FLEET_UNINVITED_KEPT_MS + 1)).toEqual([]);
  });

  it('[FL3] keeps one that has joined, however long it is away', () => {
    const machines = table();
    machines.keep(joined('build-1'));
    machines.report('build-1', 1, offline(), NOW);
    expect(namesIn(machines, NOW + 10 * FLEET_UNINVITED_KEPT_MS)).toEqual(['build-1']);
  });

  it(`[FL3] are at most ${FLEET_MACHINES_MAX}; those that nobody invited make room`, () => {
    const machines = table();
    for (let i = 0; i < FLEET_MACHINES_MAX; i++) machines.report(`m${i}`, 1, online(), NOW);
    expect(machines.report('one-more', 1, online(), NOW)).toBe(false);
    machines.report('m7', 2, offline(NOW - 5000), NOW);
    machines.report('m8', 2, offline(NOW - 9000), NOW);
    expect(machines.report('one-more', 1, online(), NOW), 'in place of the one away longest').toBe(true);
    expect([machines.get('m8'), machines.get('m7')?.name]).toEqual([null, 'm7']);
    for (let i = 0; i < FLEET_MACHINES_MAX; i++) {
      expect(machines.hasRoomFor(`joined${i}`)).toBe(true);
      machines.keep(joined(`joined${i}`));
    }
    expect(namesIn(machines)).toHaveLength(FLEET_MACHINES_MAX);
    expect(namesIn(machines).every((name) => name.startsWith('joined'))).toBe(true);
    expect([machines.hasRoomFor('one-more'), machines.hasRoomFor('joined3')]).toEqual([false, true]);
    expect(machines.report('one-more', 9, online(), NOW)).toBe(false);
  });

  it('[FL5] have the name that the owner gave them, until they are removed', () => {
    const machines = table();
    machines.keep(joined('build-1'));
    machines.rename('build-1', 'The fast one');
    machines.report('build-1', 1, online(), NOW);
    machines.keep({ ...joined('build-1'), tokenId: 'another' });
    expect(machines.get('build-1')?.label).toBe('The fast one');
    machines.rename('build-1', null);
    expect(machines.get('build-1')?.label).toBeNull();
    machines.rename('build-1', 'Again');
    machines.forget('build-1');
    machines.keep(joined('build-1'));
    expect(machines.get('build-1')).toMatchObject({ label: null, report: null });
  });
});
