/** The order of the owner's list: machines that want attention, then those online, then the others. Rule FL5. */
import type { FleetMachine } from './owner-answers.ts';

/** What people call it. */
export const calledName = ({ displayName, name }: Pick<FleetMachine, 'displayName' | 'name'>): string =>
  displayName ?? name;

const URGENCY = { asks: 0, failed: 1, done: 2 } as const;

/** A machine that is offline may still want attention: something failed before it left. */
function rank({ attention, state }: FleetMachine): number {
  if (attention !== null) return URGENCY[attention.state];
  return state === 'online' ? 3 : 4;
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Machines of one rank by what they are called, so that none moves unless its state changes. */
export function inOrder(machines: readonly FleetMachine[]): FleetMachine[] {
  return machines.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byName.compare(calledName(a), calledName(b)) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}
