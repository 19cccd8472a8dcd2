/** The status line at the bottom of the page: the state of the connection. */
import type { ClientState } from '../../../client/workspace-client.ts';
import { useSecondsUntil } from '../elements/use-seconds-until.ts';
import { type ConnectionStatus, connectionStatus } from '../view/connection-status.ts';

interface Props {
  readonly state: ClientState;
  readonly wasLive: boolean;
  readonly isAgentSilent: boolean;
  readonly mayType: boolean;
  /** The URL of the link under the mouse. */
  readonly link: string | null;
  /** The current notice, such as what a resume brought back; `roundTrip` is the measured latency. */
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

/** Unlike the time of day, nobody sets this clock. */
const sinceLoading = () => performance.now();

/** Screen readers announce the sentence once; the countdown is only visible. */
function StatusText({ text, retryAt }: ConnectionStatus) {
  const seconds = useSecondsUntil(retryAt, sinceLoading);
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
