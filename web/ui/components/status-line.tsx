/** One line on how the connection is. */
import { useEffect, useState } from 'react';
import type { ClientState } from '../../../client/workspace-client.ts';
import { type ConnectionStatus, connectionStatus } from '../view/connection-status.ts';

interface Props {
  readonly state: ClientState;
  readonly wasLive: boolean;
  readonly isAgentSilent: boolean;
  readonly mayType: boolean;
  /** Where a link under the mouse leads. */
  readonly link: string | null;
  /** What a resume brought back, and how long the ways are. */
  readonly news: string;
  readonly roundTrip: string;
  readonly onRetry: () => void;
}

export function StatusLine(props: Props) {
  const { link, mayType, news, onRetry, roundTrip, wasLive } = props;
  const status = connectionStatus(props, new Date());
  return (
    <footer className="status-line">
      <p role="status" aria-live="polite" className="status" data-tone={status.tone}>
        <span className="status-dot" aria-hidden="true" />
        <StatusText {...status} />
      </p>
      {/* Stays while a try is under way, so that it neither flickers nor loses the keyboard's focus. */}
      {status.tone === 'busy' && wasLive && (
        <button type="button" className="button" onClick={onRetry}>
          Retry now
        </button>
      )}
      <p className="status-news" role="status">
        {/* What was caught up is old news while the connection is away again. */}
        {link === null ? status.tone === 'good' && news : `Ctrl+click opens ${link}`}
      </p>
      {status.tone === 'good' && <span className="status-detail">{roundTrip}</span>}
      {status.detail !== '' && <span className="status-detail status-since">{status.detail}</span>}
      {!mayType && <span className="badge">View only</span>}
    </footer>
  );
}

/** Screen readers hear the sentence once; the seconds are for eyes only. */
function StatusText({ text, retryAt }: ConnectionStatus) {
  const seconds = useSecondsUntil(retryAt);
  if (seconds === 0) return <span className="status-text">{text}</span>;
  return (
    <>
      <span className="visually-hidden">{text}</span>
      <span className="status-text" aria-hidden="true">
        Reconnecting in {seconds} s
      </span>
    </>
  );
}

/** Often enough that no second is skipped. */
const COUNT_EVERY_MS = 250;

function useSecondsUntil(moment: number | null): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (moment === null) return;
    setNow(performance.now());
    const interval = setInterval(() => setNow(performance.now()), COUNT_EVERY_MS);
    return () => clearInterval(interval);
  }, [moment]);
  return moment === null ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}
