/** A link that was just made. It is shown this once. */
import { accessSentence } from '../../../client/access/share-access.ts';
import type { MadeLink } from '../../../protocol/share-link.ts';
import { useCopying } from '../elements/use-copying.ts';
import { isLoopback } from '../login/device-code.ts';
import { QrPicture } from '../login/qr-picture.tsx';

interface Props {
  readonly made: MadeLink;
  readonly onAnother: () => void;
}

export function MadeLinkView({ made, onAnother }: Props) {
  const { link, role, session } = made;
  const { copy, copied } = useCopying(link);
  return (
    <section className="share-made" aria-label="New link">
      <p>
        <strong>Copy the link now. It is not shown again.</strong>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="preview share-link" tabIndex={0}>
        {link}
      </pre>
      <div className="share-buttons">
        <button type="button" className="button button-primary" onClick={copy}>
          {copied === 'done' ? 'Copied' : 'Copy link'}
        </button>
        <button type="button" className="button" onClick={onAnother}>
          Create another
        </button>
      </div>
      <p role="status" className="setting-hint">
        {statusOf(copied)}
      </p>
      <QrPicture text={link} label="QR code of the link" />
      <p>{accessSentence(role, session !== null)}</p>
      {isLoopback(location.hostname) && (
        <p>
          This page is at {location.hostname}, an address of this computer only. Others cannot open the link.
        </p>
      )}
    </section>
  );
}

function statusOf(copied: 'done' | 'refused' | null): string {
  if (copied === 'done') return 'The link is copied.';
  return copied === 'refused' ? 'This browser does not let the page copy. Copy the link yourself.' : '';
}
