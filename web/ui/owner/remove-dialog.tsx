/** Asks before a machine is removed. */
import { Dialog } from '../elements/dialog.tsx';

interface Props {
  readonly name: string;
  readonly onRemove: () => void;
  readonly onCancel: () => void;
}

export function RemoveDialog({ name, onRemove, onCancel }: Props) {
  return (
    <Dialog kind="question" title={`Remove “${name}”?`} onClose={onCancel}>
      <p>
        The machine is disconnected, and its credential is revoked. Links to it stop working. To come back, it
        has to join again with a new invite. Its shells keep running on it.
      </p>
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
