/** The links that there are. */
import { useState } from 'react';
import { printable } from '../../../protocol/printable.ts';
import type { SharedLink } from '../../../protocol/share-link.ts';
import { linkFacts } from './share-text.ts';

interface Props {
  /** Null until they are known. */
  readonly links: readonly SharedLink[] | null;
  /** The names of sessions, by id; null if they are not known. */
  readonly names: ReadonlyMap<string, string> | null;
  readonly onRevoke: (id: string) => void;
}

export function ShareList({ links, names, onRevoke }: Props) {
  if (links === null) return null;
  return (
    <section className="share-list">
      <h3>Links</h3>
      {links.length === 0 && <p>There are no links.</p>}
      <ul className="sessions" aria-label="Links">
        {links.map((link) => (
          <Row
            key={link.id}
            link={link}
            name={names === null ? null : names.get(link.session ?? '')}
            onRevoke={() => onRevoke(link.id)}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly link: SharedLink;
  readonly name: string | undefined | null;
  readonly onRevoke: () => void;
}

function Row({ link, name, onRevoke }: RowProps) {
  const [isAsking, setAsking] = useState(false);
  const label = printable(link.label);
  return (
    <li className="session">
      <h4 className="session-name">{label}</h4>
      <p className="session-facts">{linkFacts(link, name, Date.now()).join(' · ')}</p>
      {isAsking ? (
        <div className="session-ending">
          <p>Revoke this link? Whoever came by it is disconnected.</p>
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep
          </button>
          <button type="button" className="button button-danger" onClick={onRevoke}>
            Revoke
          </button>
        </div>
      ) : (
        <div className="session-buttons">
          <button
            type="button"
            className="button"
            aria-label={`Revoke ${label}`}
            onClick={() => setAsking(true)}
          >
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}
