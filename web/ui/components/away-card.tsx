/** What happened while the person was away, with a way to each session and to each command that failed. */
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import type { SessionDigest } from '../../../protocol/messages/digest.ts';
import { printable } from '../../../protocol/printable.ts';
import { CloseIcon } from '../elements/icons.tsx';
import { commandText, countsText, endText, restText } from '../text/digest-text.ts';
import { since } from '../text/since.ts';

interface Props {
  readonly since: Date;
  readonly sessions: readonly SessionDigest[];
  /** Shows a session, at one of its commands if one is named. */
  readonly onGo: (session: string, command?: number) => void;
  readonly onDismiss: () => void;
}

export function AwayCard({ since: from, sessions, onGo, onDismiss }: Props) {
  const now = new Date();
  return (
    <section
      className="away"
      aria-label="While you were away"
      onKeyDown={(event) => event.key === 'Escape' && onDismiss()}
    >
      <header className="away-header">
        <h2>While you were away</h2>
        <span className="away-since">since {since(from.toISOString(), now)}</span>
        <button
          type="button"
          className="icon-button"
          aria-label="Dismiss"
          title="Dismiss"
          onClick={onDismiss}
        >
          <CloseIcon />
        </button>
      </header>
      <ul className="away-sessions">
        {sessions.map((digest) => (
          <Row key={digest.session} digest={digest} now={now} onGo={onGo} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends Pick<Props, 'onGo'> {
  readonly digest: SessionDigest;
  readonly now: Date;
}

function Row({ digest, now, onGo }: RowProps) {
  const name = printable(digest.name);
  const counts = countsText(digest);
  const rest = restText(digest, now);
  return (
    <li className="away-session" data-attention={digest.attention?.state}>
      <button
        type="button"
        className="away-name"
        aria-label={`Go to ${name}`}
        onClick={() => onGo(digest.session)}
      >
        {name}
      </button>
      <p className="away-facts">{[counts, rest].filter((part) => part !== '').join(' · ')}</p>
      {digest.commands.length > 0 && (
        <ul className="away-commands">
          {digest.commands.map((command) => (
            <Command
              key={command.number}
              command={command}
              onGo={() => onGo(digest.session, command.number)}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function Command({ command, onGo }: { readonly command: SessionCommand; readonly onGo: () => void }) {
  const end = endText(command);
  const hasFailed = command.exitCode !== null && command.exitCode !== 0;
  return (
    <li>
      <button
        type="button"
        className="away-command"
        data-failed={hasFailed || undefined}
        title="Go to this command"
        onClick={onGo}
      >
        <code>{commandText(command)}</code>
        {end !== '' && <span className="away-end">({end})</span>}
      </button>
    </li>
  );
}
