/** A window over the page: takes the keyboard, gives it back, closes on Escape and on a click beside it. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

interface Props {
  readonly title: string;
  /** `side`: along the edge, for lists; `question`: in the middle, for a decision. */
  readonly kind: 'side' | 'question';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, kind, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, and the element has it built in
    <dialog
      ref={dialog}
      className={`dialog dialog-${kind}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog-body">
        <header className="dialog-header">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" title="Close" onClick={onClose}>
            <CloseIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
