/** The machines in their order, and a field that leaves only some of them when there are many. */
import { useDeferredValue, useMemo, useState } from 'react';
import { inOrder } from '../../../protocol/machine-order.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { type MachineAction, MachineRow } from './machine-row.tsx';
import { matches } from './machine-words.ts';

/** As many fit on a desk without scrolling much. */
const FILTER_FROM = 6;

interface Props {
  readonly machines: readonly FleetMachine[];
  readonly onAction: (action: MachineAction, machine: FleetMachine, button: HTMLElement) => void;
}

export function MachineList({ machines, onAction }: Props) {
  const [text, setText] = useState('');
  const isFiltered = machines.length >= FILTER_FROM;
  const wanted = useDeferredValue(isFiltered ? text.trim() : '');
  const ordered = useMemo(() => inOrder(machines), [machines]);
  const shown = useMemo(() => ordered.filter((machine) => matches(machine, wanted)), [ordered, wanted]);
  return (
    <>
      {isFiltered && (
        <label className="owner-filter">
          <span>Filter</span>
          <input
            className="field"
            type="search"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
      )}
      <p role="status" className="owner-count">
        {countText(machines, shown.length)}
      </p>
      <ul className="sessions" aria-label="Machines">
        {shown.map((machine) => (
          <MachineRow key={machine.name} machine={machine} onAction={onAction} />
        ))}
      </ul>
    </>
  );
}

function countText(machines: readonly FleetMachine[], shown: number): string {
  if (machines.length === 0) return '';
  const online = machines.filter(({ state }) => state === 'online').length;
  if (shown < machines.length) return `${shown} of ${machines.length} machines`;
  return `${machines.length} ${machines.length === 1 ? 'machine' : 'machines'}, ${online} online`;
}
