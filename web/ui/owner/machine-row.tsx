/** One machine in the owner's list. */
import { memo } from 'react';
import { calledName } from '../../../protocol/machine-order.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { attentionLine, factsLine, stateLine } from './machine-words.ts';

export type MachineAction = 'open' | 'rename' | 'links' | 'audit' | 'remove';

interface Props {
  readonly machine: FleetMachine;
  /** `button` was pressed. */
  readonly onAction: (action: MachineAction, machine: FleetMachine, button: HTMLElement) => void;
}

/** Of hundreds of rows, only those that have changed are drawn again. */
export const MachineRow = memo(function MachineRow({ machine, onAction }: Props) {
  const { name, displayName, fingerprint, state, attention, origin } = machine;
  const now = new Date();
  const wanting = attentionLine(machine);
  // A machine with somebody else's token would be back at once.
  const isRemovable = origin === 'invite' || state !== 'online';
  const actions: readonly [MachineAction, string][] = [
    ['open', 'Open'],
    ['rename', 'Rename'],
    ['links', 'Links'],
    ['audit', 'Audit'],
    ...(isRemovable ? [['remove', 'Remove'] satisfies [MachineAction, string]] : []),
  ];
  return (
    <li className="session machine" data-state={state} data-attention={attention?.state}>
      <h2 className="session-name">{calledName(machine)}</h2>
      {displayName !== null && <p className="session-facts">{name}</p>}
      <p className="machine-state">
        <span className="machine-dot" aria-hidden="true" />
        {stateLine(machine, now)}
      </p>
      {wanting !== null && <p className="session-attention">{wanting}</p>}
      <p className="session-facts">{factsLine(machine, now)}</p>
      {fingerprint !== null && <p className="session-facts owner-key">Key {fingerprint}</p>}
      <div className="machine-buttons">
        {actions.map(([action, label]) => (
          <button
            key={action}
            type="button"
            className="button"
            aria-label={`${label} ${calledName(machine)}`}
            onClick={(event) => onAction(action, machine, event.currentTarget)}
          >
            {label}
          </button>
        ))}
      </div>
    </li>
  );
});
