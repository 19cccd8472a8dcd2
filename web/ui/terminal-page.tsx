/** The page with its terminal: who and where above, the terminal, and the connection below. */
import { useEffect } from 'react';
import type { ClientState, WorkspaceClient } from '../client/workspace-client.ts';
import { ConnectionOverlay } from './connection-overlay.tsx';
import { StatusLine } from './status-line.tsx';
import { StoppedBar } from './stopped-bar.tsx';
import { type TerminalSession, useTerminalSession } from './use-terminal-session.ts';

interface Props {
  readonly client: WorkspaceClient;
  readonly state: ClientState;
  readonly wasLive: boolean;
  readonly workspace: string;
}

export function TerminalPage({ client, state, wasLive, workspace }: Props) {
  const terminal = useTerminalSession(client, workspace);
  useEffect(() => {
    document.title = `${terminal.name} · ${workspace} · Holdfast`;
  }, [terminal.name, workspace]);
  const retry = () => {
    client.wake();
    terminal.focus();
  };
  return (
    <div className="page">
      <header className="header">
        <h1 className="product">Holdfast</h1>
        <span className="workspace">{workspace}</span>
        <div role="tablist" aria-label="Terminals" className="tabs">
          <button
            type="button"
            role="tab"
            id="tab"
            className="tab"
            aria-selected="true"
            aria-controls="panel"
            onClick={terminal.focus}
          >
            {terminal.name}
          </button>
        </div>
      </header>
      <main className="panel" role="tabpanel" id="panel" aria-labelledby="tab">
        <div className="terminal" ref={terminal.host} />
        <Cover {...terminal} />
      </main>
      <StatusLine state={state} wasLive={wasLive} onRetry={retry} />
    </div>
  );
}

function Cover({ cover, newTerminal }: Pick<TerminalSession, 'cover' | 'newTerminal'>) {
  if (cover.kind === 'waiting') return <ConnectionOverlay title={cover.title} detail={cover.detail} />;
  if (cover.kind === 'none') return null;
  const act = cover.action === 'Reload' ? () => location.reload() : newTerminal;
  return <StoppedBar sentence={cover.sentence} action={cover.action} onAction={act} />;
}
