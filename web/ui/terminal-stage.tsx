/** The middle of the page: the terminals, and the bars that float over them. */
import type { ClientState } from '../../client/workspace-client.ts';
import type { Away } from './attention/away-digest.ts';
import { AwayCard } from './components/away-card.tsx';
import { FindBar } from './components/find-bar.tsx';
import { EmptyStage } from './components/no-terminals.tsx';
import { MaybePaneSwitch, PaneArea } from './components/panes/pane-area.tsx';
import { SelectionBar } from './components/selection-bar.tsx';
import type { PageCommands } from './page-commands.ts';
import type { TerminalSessions } from './use-terminal-sessions.ts';

interface Props {
  readonly sessions: TerminalSessions;
  readonly commands: PageCommands;
  readonly state: ClientState;
  /** Key of the tab that is being searched. */
  readonly finding: string | null;
  readonly onFound: () => void;
  /** What happened while nobody saw the page. */
  readonly away: Away | null;
  readonly onDismissAway: () => void;
}

const NARROW = '(max-width: 480px)';

export function TerminalStage(props: Props) {
  const { sessions, commands, state, finding, onFound, away, onDismissAway } = props;
  const { windowTabs, views, view } = sessions;
  const screen = views.active;
  return (
    <main className="terminals">
      <MaybePaneSwitch view={view} windowTabs={windowTabs} focusTerminal={commands.focusTerminal} />
      <PaneArea view={view} windowTabs={windowTabs} views={views} focusTerminal={commands.focusTerminal} />
      {view.tabs.length === 0 && (
        <EmptyStage
          isSettled={view.isSettled}
          mayManage={view.mayManage}
          trouble={view.trouble}
          state={state}
          onNew={commands.newTerminal}
          onRetry={() => windowTabs.sessions.retry()}
        />
      )}
      {finding !== null && finding === view.active?.key && screen !== undefined && (
        <FindBar screen={screen} onClose={onFound} />
      )}
      {view.touchSelection !== null && (
        <SelectionBar
          side={view.touchSelection}
          onCopy={commands.copySelection}
          onPaste={view.mayType ? commands.pasteOverSelection : null}
        />
      )}
      {away !== null && (
        <AwayCard
          {...away}
          onGo={(session, command) => {
            // On a phone, the card covers what is shown.
            if (matchMedia(NARROW).matches) onDismissAway();
            commands.goTo(session, command);
          }}
          onDismiss={onDismissAway}
        />
      )}
      {view.closed !== null && (
        <div className="toast" role="status">
          <span>Closed {view.closed}.</span>
          <button type="button" className="button" onClick={commands.undo}>
            Undo
          </button>
        </div>
      )}
    </main>
  );
}
