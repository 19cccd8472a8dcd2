/** Says that an assistant types in a terminal, or waits until the person hands the keyboard back. */
import type { KeyboardView } from '../view/tab-view.ts';

interface Props extends KeyboardView {
  /** Null for a viewer. */
  readonly onTake: (() => void) | null;
  readonly onHandBack: (() => void) | null;
}

export function KeyboardBar({ kind, name, onTake, onHandBack }: Props) {
  const isTyping = kind === 'assistant';
  const act = isTyping ? onTake : onHandBack;
  return (
    <div className="panel-bar panel-bar-keyboard">
      <p role="status">{isTyping ? `${name} is typing` : `${name} is waiting for the keyboard`}</p>
      {act !== null && (
        <button type="button" className="button" onClick={act}>
          {isTyping ? 'Take over' : 'Hand back'}
        </button>
      )}
    </div>
  );
}
