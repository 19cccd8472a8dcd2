/**
 * A dialog over the page. It takes the focus, gives it back, and closes on Escape and on a click outside. A `notice`
 * does not take the focus: it asks on behalf of a program, and must neither interrupt users nor be answered by what
 * they type.
 */
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

interface Props {
  readonly title: string;
  /**
   * `side`: along the edge, for lists; `question`: in the middle, for a decision; `notice`: in a corner, not urgent.
   */
  readonly kind: 'side' | 'question' | 'notice';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, kind, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (kind === 'notice' || element === null) return;
    element.showModal();
    element.querySelector<HTMLElement>('[data-first]')?.focus();
    // Before the element is removed, so that the browser gives the focus back.
    return () => element.close();
  }, [kind]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, and the element has it built in
    <dialog
      ref={dialog}
      open={kind === 'notice' ? true : undefined}
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
          {/* A question has its answers; one of them is to leave everything as it is. */}
          {kind !== 'question' && (
            <button type="button" className="icon-button" aria-label="Close" title="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
