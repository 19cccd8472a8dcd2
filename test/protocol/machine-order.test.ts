/** The order of the owner's list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder } from '../../protocol/machine-order.ts';
import { type FleetMachine, readMachines } from '../../protocol/owner-answers.ts';
import { checkProperty } from '../support/property.ts';

const machine = (name: string, changes: Partial<FleetMachine> = {}): FleetMachine => ({
  ...{ name, displayName: null, origin: 'invite', fingerprint: 'SHA256:a', joinedAt: null, state: 'online' },
  ...{ since: null, lastSeen: null, sessions: 0, attention: null, version: null },
  ...changes,
});
const asking = (state: 'asks' | 'failed' | 'done', count = 1) => ({ attention: { state, count } });

describe("the owner's list", () => {
  it('[J3] [FL5] has those that want attention first, then those online, then the others, by what they are called', () => {
    const machines = [
      machine('away', { state: 'offline' }),
      machine('never', { state: 'unknown' }),
      machine('build-10'),
      machine('build-9'),
      machine('zebra', { displayName: 'Antelope' }),
      machine('ready', asking('done', 9)),
      machine('broken', { ...asking('failed'), state: 'offline' }),
      machine('asking', asking('asks')),
    ];
    expect(inOrder(machines).map(({ name }) => name)).toEqual([
      ...['asking', 'broken', 'ready', 'zebra', 'build-9', 'build-10', 'away', 'never'],
    ]);
  });

  it('[FL5] does not depend on the order in which machines are told', () => {
    const some = fc.record({
      name: fc.constantFrom('a', 'b', 'A', 'a-1', 'a-10', 'a-2'),
      displayName: fc.constantFrom(null, 'a', 'B'),
      state: fc.constantFrom('online', 'offline', 'unknown' as const),
      attention: fc.constantFrom(null, asking('asks').attention, asking('done').attention),
    });
    const lists = fc.uniqueArray(some, { selector: ({ name }) => name });
    const property = fc.property(lists, fc.infiniteStream(fc.nat()), (list, order) => {
      const machines = list.map(({ name, ...rest }) => machine(name, rest));
      const mixed = machines
        .map((one) => ({ one, at: Number(order.next().value) }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one);
      expect(inOrder(mixed)).toEqual(inOrder(machines));
    });
    checkProperty('machine-order', property);
  });

  it('[J3] is read also from a relay of an earlier version, and what is shown is printable', () => {
    const old = { name: 'build-1', fingerprint: 'SHA256:a', joinedAt: '2026-01-02T03:04:05.000Z' };
    expect(readMachines({ machines: [old] })).toEqual([
      machine('build-1', { joinedAt: old.joinedAt, state: 'unknown' }),
    ]);
    const [named] =
      readMachines({ machines: [{ ...old, displayName: 'a\u202eb', version: '1\u0007' }] }) ?? [];
    expect([named?.displayName, named?.version]).toEqual(['ab', '1']);
    for (const bad of [
      { displayName: 'x'.repeat(129) },
      { attention: { state: 'asks', count: 0 } },
      { sessions: -1 },
      { state: 'gone' },
      { since: 'yesterday' },
    ])
      expect(readMachines({ machines: [{ ...old, ...bad }] }), JSON.stringify(bad)).toBeNull();
  });
});
