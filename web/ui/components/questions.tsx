/**
 * The dialogs that ask for confirmation: before a paste that may run by itself, a clipboard write, or closing a
 * running program.
 */
import { useState } from 'react';
import { Dialog } from '../elements/dialog.tsx';
import { amountOf, visibleText } from '../text/visible-text.ts';
import type { Question } from '../view/terminal-input.ts';

interface ButtonsProps {
  readonly yes: string;
  readonly no: string;
  readonly onAnswer: (isYes: boolean) => void;
}

/** The safe answer gets the focus first: an Enter typed right after the paste must not confirm it unread. */
function Buttons({ yes, no, onAnswer }: ButtonsProps) {
  return (
    <div className="dialog-buttons">
      <button type="button" className="button" data-first onClick={() => onAnswer(false)}>
        {no}
      </button>
      <button type="button" className="button button-primary" onClick={() => onAnswer(true)}>
        {yes}
      </button>
    </div>
  );
}

interface Props {
  readonly question: Question;
  readonly onAnswer: (isYes: boolean) => void;
  /** Stop asking this question. */
  readonly onAlways: () => void;
}

export function QuestionDialog({ question, onAnswer, onAlways }: Props) {
  const [isAlways, setAlways] = useState(false);
  const isPaste = question.kind === 'paste';
  const answer = (isYes: boolean) => {
    if (isYes && isAlways) onAlways();
    onAnswer(isYes);
  };
  return (
    <Dialog kind={isPaste ? 'question' : 'notice'} title={titleOf(question)} onClose={() => onAnswer(false)}>
      <p>
        {isPaste
          ? 'Each line may run as soon as it is pasted.'
          : 'A program in the terminal wants to put this text on your clipboard.'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="preview" tabIndex={0}>
        {visibleText(question.text)}
      </pre>
      <p className="preview-amount">{amountOf(question.text)}</p>
      <label className="check">
        <input type="checkbox" checked={isAlways} onChange={(event) => setAlways(event.target.checked)} />
        Do not ask again
      </label>
      <Buttons yes={isPaste ? 'Paste' : 'Copy'} no="Cancel" onAnswer={answer} />
    </Dialog>
  );
}

function titleOf(question: Question): string {
  if (question.kind !== 'paste') return 'Let a program write to the clipboard?';
  return question.lines === 1 ? 'Paste a line with its end?' : `Paste ${question.lines} lines?`;
}

export interface ClosingQuestion {
  /** The tabs to close. */
  readonly keys: readonly string[];
  /** The name of the first. */
  readonly name: string;
  /** The running programs; none where a shell is waiting. */
  readonly programs: readonly string[];
  /** How many other clients show the terminals, counted for each. */
  readonly others: number;
}

interface ClosingProps {
  readonly question: ClosingQuestion;
  readonly onEnd: () => void;
  readonly onKeep: () => void;
  readonly onCancel: () => void;
}

export function ClosingDialog({ question, onEnd, onKeep, onCancel }: ClosingProps) {
  const { keys, name, others, programs } = question;
  const isOne = keys.length === 1;
  return (
    <Dialog
      kind="question"
      title={isOne ? `Close “${name}”?` : `Close ${keys.length} terminals?`}
      onClose={onCancel}
    >
      {programs.length > 0 && (
        <p>
          <code>{programs.join(', ')}</code> {programs.length === 1 ? 'is' : 'are'} running in{' '}
          {isOne ? 'it' : 'them'} and would be ended.
        </p>
      )}
      {others > 0 && (
        <p>
          {others === 1 ? 'Another window shows' : `${others} other windows show`}{' '}
          {isOne
            ? 'this terminal, and would lose it too.'
            : 'some of these terminals, and would lose them too.'}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" className="button" data-first onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="button" onClick={onKeep}>
          {isOne ? 'Close tab only' : 'Close tabs only'}
        </button>
        <button type="button" className="button button-danger" onClick={onEnd}>
          {isOne ? 'End terminal' : 'End terminals'}
        </button>
      </div>
    </Dialog>
  );
}
