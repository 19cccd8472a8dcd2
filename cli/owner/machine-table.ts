/** Formats the machines of a relay as a table. What others have named is made printable where it is read. */
import type { FleetMachine } from '../../protocol/owner-answers.ts';
import { momentText } from '../client/amounts.ts';
import { textTable } from '../client/text-table.ts';

const HEADINGS = ['MACHINE', 'NAME', 'STATE', 'SESSIONS', 'ATTENTION', 'AGENT'];

export function machineTable(machines: readonly FleetMachine[], now: Date): string {
  const rows = machines.map((machine) => [
    machine.name,
    machine.displayName ?? '-',
    stateOf(machine, now),
    machine.state === 'unknown' ? '-' : String(machine.sessions),
    attentionOf(machine),
    machine.version ?? '-',
  ]);
  return textTable([HEADINGS, ...rows]);
}

function stateOf({ state, since, lastSeen }: FleetMachine, now: Date): string {
  if (state === 'unknown') return 'not connected yet';
  if (state === 'online') return since === null ? 'online' : `online since ${momentText(since, now)}`;
  const seen = lastSeen ?? since;
  return seen === null ? 'offline' : `offline, last seen ${momentText(seen, now)}`;
}

const WANTS = { asks: 'asks', failed: 'failed', done: 'done' } as const;

/** The most urgent reason, and how many sessions want attention for any. */
function attentionOf({ attention }: FleetMachine): string {
  if (attention === null) return '-';
  return attention.count === 1 ? WANTS[attention.state] : `${WANTS[attention.state]} (${attention.count})`;
}
