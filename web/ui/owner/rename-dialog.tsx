/** Asks what the owner wants to call a machine. */
import { type FormEvent, useId } from 'react';
import { MACHINE_LABEL_MAX_CHARS } from '../../../protocol/limits.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { Dialog } from '../elements/dialog.tsx';

interface Props {
  readonly machine: FleetMachine;
  /** Null: by its own name again. */
  readonly onRename: (displayName: string | null) => void;
  readonly onCancel: () => void;
}

export function RenameDialog({ machine: { name, displayName }, onRename, onCancel }: Props) {
  const hint = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    onRename(text === '' || text === name ? null : text);
  };
  return (
    <Dialog kind="question" title="Rename machine" onClose={onCancel}>
      <form className="rename-form" onSubmit={submit}>
        <label className="rename-field">
          <span>Name</span>
          <input
            className="field"
            name="name"
            type="text"
            autoComplete="off"
            defaultValue={displayName ?? name}
            maxLength={MACHINE_LABEL_MAX_CHARS}
            aria-describedby={hint}
            data-first
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
        <p id={hint}>Only this list shows it. In links and commands, the machine stays {name}.</p>
        <div className="dialog-buttons">
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" className="button">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
