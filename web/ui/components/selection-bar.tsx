/** The actions for text selected by touch. A tap neither opens nor closes the on-screen keyboard. */
import type { PointerEvent } from 'react';
import type { Side } from '../terminal/touch-selection.ts';

interface Props {
  readonly side: Side;
  readonly onCopy: () => void;
  /** Null when the user may not type. */
  readonly onPaste: (() => void) | null;
}

const keepFocus = (event: PointerEvent) => event.preventDefault();

export function SelectionBar({ side, onCopy, onPaste }: Props) {
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selection" data-side={side}>
      <button type="button" className="button button-primary" onPointerDown={keepFocus} onClick={onCopy}>
        Copy
      </button>
      {onPaste !== null && (
        <button type="button" className="button" onPointerDown={keepFocus} onClick={onPaste}>
          Paste
        </button>
      )}
    </div>
  );
}
