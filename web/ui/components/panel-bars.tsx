/**
 * The bars at the foot of a terminal: who types, input that waits, what was lost, and a size that another window has
 * set.
 */
import type { ForeignSize, TabView } from '../view/tab-view.ts';
import { KeyboardBar } from './keyboard-bar.tsx';
import { LossBar } from './loss-bar.tsx';

interface Props {
  readonly tab: TabView;
  readonly onDismissLoss: () => void;
  /** Null for a viewer. */
  readonly onTakeOver: (() => void) | null;
  readonly onTakeKeyboard: (() => void) | null;
  readonly onHandBack: (() => void) | null;
}

export function PanelBars({ tab, onDismissLoss, onTakeOver, onTakeKeyboard, onHandBack }: Props) {
  return (
    <div className="panel-bars">
      <div role="status">
        {tab.late !== '' && (
          <p className="panel-bar">
            <span>
              {LATE[tab.lateFor].title} <code className="unsent">{tab.late}</code>
              <br />
              {LATE[tab.lateFor].why}
            </span>
          </p>
        )}
      </div>
      {tab.keyboard !== null && (
        <KeyboardBar {...tab.keyboard} onTake={onTakeKeyboard} onHandBack={onHandBack} />
      )}
      {tab.loss !== null && <LossBar {...tab.loss} onDismiss={onDismissLoss} />}
      {tab.foreignSize !== null && <ForeignSizeBar {...tab.foreignSize} onTakeOver={onTakeOver} />}
    </div>
  );
}

function ForeignSizeBar({ cols, rows, sizedFor, onTakeOver }: ForeignSize & Pick<Props, 'onTakeOver'>) {
  return (
    <div className="panel-bar">
      <span>
        {sizedFor}: {cols} × {rows}
      </span>
      {onTakeOver !== null && (
        <button type="button" className="button" onClick={onTakeOver}>
          Take over
        </button>
      )}
    </div>
  );
}

/** What the panel says when input has not been taken. */
const LATE = {
  response: { title: 'Waiting for a response:', why: 'Checking the machine…' },
  program: { title: 'Waiting for the program:', why: 'It is not reading input.' },
  machine: { title: 'Waiting for the machine:', why: 'It is not responding.' },
} as const;
