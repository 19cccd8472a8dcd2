/** One machine in the owner's list. */
import type { JoinedMachine } from '../../../protocol/owner-answers.ts';
import { since } from '../text/since.ts';

interface Props {
  readonly machine: JoinedMachine;
  readonly onOpen: () => void;
  /** Asks first. `button` was pressed. */
  readonly onRemove: (button: HTMLElement) => void;
}

export function MachineRow({ machine, onOpen, onRemove }: Props) {
  const { name, fingerprint, joinedAt } = machine;
  return (
    <li className="session">
      <h2 className="session-name">{name}</h2>
      <p className="session-facts">
        Joined <time dateTime={joinedAt}>{since(joinedAt, new Date())}</time>
      </p>
      <p className="session-facts owner-key">Key {fingerprint}</p>
      <div className="session-buttons">
        <button type="button" className="button" onClick={onOpen} aria-label={`Open ${name}`}>
          Open
        </button>
        <button
          type="button"
          className="button"
          onClick={(event) => onRemove(event.currentTarget)}
          aria-label={`Remove ${name}`}
        >
          Remove
        </button>
      </div>
    </li>
  );
}
