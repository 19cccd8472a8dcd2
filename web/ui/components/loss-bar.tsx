/** Reports what was lost in a terminal, until the user dismisses it. */
import type { Loss } from '../tabs/tab-notes.ts';

interface Props extends Loss {
  readonly onDismiss: () => void;
}

export function LossBar({ sentence, undelivered, onDismiss }: Props) {
  return (
    <div className="panel-bar panel-bar-loss">
      <p role="status">
        {sentence}
        {undelivered !== '' && (
          <>
            <br />
            Not delivered: <code className="unsent">{undelivered}</code>
          </>
        )}
      </p>
      <button type="button" className="button" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  );
}
