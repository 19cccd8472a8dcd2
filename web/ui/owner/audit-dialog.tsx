/** The dialog with a machine's audit trail: who did what, and when. It is read in pages, newest first. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReadAuditEntry } from '../../../protocol/audit.ts';
import { Dialog } from '../elements/dialog.tsx';
import { whatHappened, whenItWas, whoDid } from './audit-words.ts';
import { readTrail } from './owner-requests.ts';

interface Props {
  readonly machine: string;
  /** What people call it. */
  readonly called: string;
  readonly onClose: () => void;
  /** The login has ended. */
  readonly onEnded: () => void;
}

export function AuditDialog({ machine, called, onClose, onEnded }: Props) {
  const { entries, hasMore, isReading, sentence, readMore } = useTrail(machine, onEnded);
  const now = new Date();
  return (
    <Dialog kind="side" title={`Audit trail of ${called}`} onClose={onClose}>
      <ol className="trail" aria-label="Audit trail">
        {entries.map((entry) => (
          <li key={entry.id} className="trail-entry">
            <p className="trail-what">{whatHappened(entry)}</p>
            <p className="trail-who">
              {whoDid(entry)}, <time dateTime={entry.at}>{whenItWas(entry, now)}</time>
            </p>
          </li>
        ))}
      </ol>
      <p role="status">{statusOf(entries.length, isReading)}</p>
      <p role="alert" className="owner-problem">
        {sentence}
      </p>
      {hasMore && (
        <button type="button" className="button" disabled={isReading} onClick={readMore}>
          Show older
        </button>
      )}
    </Dialog>
  );
}

function statusOf(shown: number, isReading: boolean): string {
  if (isReading) return 'Reading…';
  return shown === 0 ? 'Nothing is recorded.' : '';
}

function useTrail(machine: string, onEnded: () => void) {
  const [entries, setEntries] = useState<readonly ReadAuditEntry[]>([]);
  const [hasMore, setMore] = useState(false);
  const [isReading, setReading] = useState(true);
  const [sentence, setSentence] = useState('');
  const ended = useRef(onEnded);
  const read = useCallback(
    async (before: number | null) => {
      setReading(true);
      const answer = await readTrail(machine, before);
      setReading(false);
      setSentence(answer.name === 'failed' ? answer.sentence : '');
      if (answer.name === 'ended') ended.current();
      if (answer.name !== 'done') return setMore(true);
      const { entries: older, more } = answer.value;
      setEntries((known) => [...known, ...older]);
      setMore(more);
    },
    [machine],
  );
  useEffect(() => void read(null), [read]);
  return { entries, hasMore, isReading, sentence, readMore: () => void read(entries.at(-1)?.id ?? null) };
}
