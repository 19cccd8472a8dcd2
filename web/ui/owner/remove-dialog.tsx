/** Asks before a machine is removed. */

import { calledName } from '../../../protocol/machine-order.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { Dialog } from '../elements/dialog.tsx';

interface Props {
  readonly machine: FleetMachine;
  readonly onRemove: () => void;
  readonly onCancel: () => void;
}

export function RemoveDialog({ machine, onRemove, onCancel }: Props) {
  return (
    <Dialog kind="question" title={`Remove “${calledName(machine)}”?`} onClose={onCancel}>
      {machine.origin === 'token' ? (
        <p>The machine leaves this list. If it connects again with its token, it is back.</p>
      ) : (
        <p>
          The machine is disconnected, and its credential is revoked. Links to it stop working. To come back,
          it has to join again with a new invite. Its shells keep running on it.
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" className="button" data-first onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button button-danger" onClick={onRemove}>
          Remove
        </button>
      </div>
    </Dialog>
  );
}
