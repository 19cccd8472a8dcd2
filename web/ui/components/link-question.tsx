/** Shows where a tapped link leads before it is opened, because a touch screen has no hover. */
import { Dialog } from '../elements/dialog.tsx';
import { followLink } from '../terminal/xterm-links.ts';

interface Props {
  readonly address: string;
  readonly onCopy: () => void;
  readonly onClose: () => void;
}

export function LinkQuestion({ address, onCopy, onClose }: Props) {
  return (
    <Dialog kind="question" title="Open this link?" onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="preview" tabIndex={0}>
        {address}
      </pre>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            onCopy();
            onClose();
          }}
        >
          Copy link
        </button>
        <button
          type="button"
          className="button button-primary"
          data-first
          onClick={() => {
            followLink(address);
            onClose();
          }}
        >
          Open
        </button>
      </div>
    </Dialog>
  );
}
