/** The page layout: tabs at the top, the terminal below them, the status line at the bottom. */
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ClientState, WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import { FindBar } from './components/find-bar.tsx';
import { MaybeKeyBar } from './components/key-bar.tsx';
import { LinkQuestion } from './components/link-question.tsx';
import { EmptyStage } from './components/no-terminals.tsx';
import { ClosingDialog, type ClosingQuestion, QuestionDialog } from './components/questions.tsx';
import { SelectionBar } from './components/selection-bar.tsx';
import { StatusLine } from './components/status-line.tsx';
import { TabBar } from './components/tab-bar.tsx';
import { TerminalPanel } from './components/terminal-panel.tsx';
import { Tools } from './components/tools.tsx';
import { LogoIcon } from './elements/icons.tsx';
import { Menu } from './elements/menu.tsx';
import { useVisualViewport } from './elements/use-visual-viewport.ts';
import { LazySessionsPanel, LazySettingsPanel } from './lazy-panels.tsx';
import { LoginBar } from './login/login-bar.tsx';
import type { PageSignIn } from './login/sign-in.ts';
import { pageCommands } from './page-commands.ts';
import type { SettingsStore } from './settings/settings.ts';
import { useTerminalSessions } from './use-terminal-sessions.ts';

interface Props {
  readonly client: WorkspaceClient;
  readonly clock: Clock;
  readonly settings: SettingsStore;
  readonly state: ClientState;
  readonly wasLive: boolean;
  readonly workspace: string;
  readonly mayUseWebgl: boolean;
  readonly onLogOut: (() => void) | null;
  readonly signIn: PageSignIn | null;
}

type Opened = 'sessions' | 'settings' | null;

export function TerminalPage(props: Props) {
  const { client, clock, settings, state, wasLive, workspace, mayUseWebgl, onLogOut, signIn } = props;
  const sessions = useTerminalSessions({ client, clock, settings, workspace, mayUseWebgl });
  const { windowTabs, views, view } = sessions;
  const page = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Opened>(null);
  /** Key of the tab that is being searched. */
  const [finding, setFinding] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [closing, setClosing] = useState<ClosingQuestion | null>(null);
  useVisualViewport(page);

  useEffect(() => {
    if (page.current !== null) views.start(page.current);
    return () => views.stop();
  }, [views]);

  const active = view.active?.key ?? null;
  // Switching to another terminal ends the search, and that terminal takes the focus.
  useEffect(() => setFinding((key) => (key === active ? key : null)), [active]);

  // A tab that closed by itself leaves the focus on the body.
  useEffect(() => {
    if (active !== null && document.activeElement === document.body) views.focus();
  }, [active, views]);

  const label = view.active?.label ?? '';
  useEffect(() => {
    document.title = `${label === '' ? workspace : `${label} · ${workspace}`} · Holdfast`;
  }, [label, workspace]);

  const commands = useMemo(
    () =>
      pageCommands({ client, windowTabs, views, settings, setClosing, setFinding, setOpened, setRenaming }),
    [client, windowTabs, views, settings],
  );
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // The body is the target when nothing has the focus. Keys elsewhere on an embedder's page are not ours.
      const { target } = event;
      if (target === document.body || (target instanceof Node && page.current?.contains(target)))
        commands.pressed(event);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [commands]);
  const back = () => {
    setOpened(null);
    commands.focusTerminal();
  };
  const screen = views.active;

  return (
    <div className="page" ref={page}>
      <header className="header">
        <LogoIcon />
        <h1 className="product">Holdfast</h1>
        <span className="workspace">{workspace}</span>
        <TabBar
          tabs={view.tabs}
          windowTabs={windowTabs}
          mayType={view.mayType}
          renaming={renaming}
          onRename={setRenaming}
          onClose={commands.close}
          onNew={commands.newTerminal}
          focusTerminal={commands.focusTerminal}
        />
        <Tools
          hasTerminal={view.active !== null}
          onFind={() => setFinding(active)}
          onOpen={setOpened}
          onMenu={(at) => views.openMenu(at)}
        />
      </header>
      <main className="terminals">
        {view.tabs.map((tab) => (
          <TerminalPanel
            key={tab.key}
            tab={tab}
            windowTabs={windowTabs}
            views={views}
            mayType={view.mayType}
          />
        ))}
        {view.tabs.length === 0 && (
          <EmptyStage
            isSettled={view.isSettled}
            mayType={view.mayType}
            trouble={view.trouble}
            state={state}
            onNew={commands.newTerminal}
            onRetry={() => windowTabs.sessions.retry()}
          />
        )}
        {finding !== null && finding === active && screen !== undefined && (
          <FindBar
            screen={screen}
            onClose={() => {
              setFinding(null);
              views.focus();
            }}
          />
        )}
        {view.touchSelection !== null && (
          <SelectionBar
            side={view.touchSelection}
            onCopy={commands.copySelection}
            onPaste={view.mayType ? commands.pasteOverSelection : null}
          />
        )}
        {view.closed !== null && (
          <div className="toast" role="status">
            <span>Closed “{view.closed}”.</span>
            <button type="button" className="button" onClick={commands.undo}>
              Undo
            </button>
          </div>
        )}
      </main>
      <LoginBar
        signIn={signIn}
        workspace={workspace}
        hasEnded={state.name === 'refused' && state.code === CLOSE.unauthorized}
      />
      {view.mayType && view.active !== null && (
        <MaybeKeyBar views={views} settings={settings} sticky={view.sticky} />
      )}
      <StatusLine
        state={state}
        wasLive={wasLive}
        isAgentSilent={view.isAgentSilent}
        mayType={view.mayType}
        link={view.link}
        news={view.notice}
        roundTrip={view.roundTrip}
        onRetry={() => {
          client.wake();
          views.focus();
        }}
      />
      {view.menu !== null && (
        <Menu
          label="Terminal actions"
          at={view.menu}
          items={commands.menu(view)}
          onClose={() => views.openMenu(null)}
          onDismiss={() => {
            views.openMenu(null);
            commands.focusTerminal();
          }}
        />
      )}
      {view.question !== null && (
        <QuestionDialog
          question={view.question}
          onAnswer={(isYes) => {
            views.input.answer(isYes);
            commands.focusTerminal();
          }}
          onAlways={() =>
            settings.change(
              view.question?.kind === 'paste' ? { pasteWarning: false } : { clipboardWrite: 'always' },
            )
          }
        />
      )}
      {view.tapped !== null && (
        <LinkQuestion
          address={view.tapped.address}
          onCopy={() => views.input.copy(view.tapped?.address ?? '')}
          onClose={() => {
            views.askToOpen(null);
            if (view.tapped?.hadFocus) commands.focusTerminal();
          }}
        />
      )}
      {closing !== null && (
        <ClosingDialog
          question={closing}
          onCancel={() => commands.closed(null, closing)}
          onKeep={() => commands.closed('keep', closing)}
          onEnd={() => commands.closed('end', closing)}
        />
      )}
      <Suspense>
        {opened === 'sessions' && (
          <LazySessionsPanel client={client} windowTabs={windowTabs} onClose={back} />
        )}
        {opened === 'settings' && (
          <LazySettingsPanel
            store={settings}
            fontSize={views.fontSize ?? 0}
            onClose={back}
            onLogOut={onLogOut}
          />
        )}
      </Suspense>
    </div>
  );
}
