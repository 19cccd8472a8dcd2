/** The bar at the bottom of a terminal that has stopped: says why, and offers what the user can do about it. */
import type { CoverAction } from '../view/terminal-cover.ts';

interface Props {
  readonly sentence: string;
  readonly action: CoverAction | null;
  readonly onAction: () => void;
}

export function StoppedBar({ sentence, action, onAction }: Props) {
  return (
    <div className="stopped-bar">
      <p role="status">{sentence}</p>
      {action !== null && (
        <span className="stopped-action">
          {action !== 'Reload' && <span className="stopped-hint">Press Enter or</span>}
          <button type="button" className="button button-primary" onClick={onAction}>
            {action}
          </button>
        </span>
      )}
    </div>
  );
}
