/** The page layout: tabs at the top, the terminal below them, the status line at the bottom. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ClientState, WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import { useAwayDigest, useNotifications } from './attention-effects.ts';
import { MaybeKeyBar } from './components/key-bar.tsx';
import type { ClosingQuestion } from './components/questions.tsx';
import { StatusLine } from './components/status-line.tsx';
import { TabBar } from './components/tab-bar.tsx';
import { Tools } from './components/tools.tsx';
import { MaybeComposerBar } from './composer/composer-bar.tsx';
import { LogoIcon } from './elements/icons.tsx';
import { useVisualViewport } from './elements/use-visual-viewport.ts';
import { LoginBar } from './login/login-bar.tsx';
import type { PageSignIn } from './login/sign-in.ts';
import { type PageCommands, pageCommands } from './page-commands.ts';
import {
  CommandMarkDialogs,
  MaybeClosingDialog,
  OpenedPanel,
  TerminalMenu,
  TerminalQuestions,
} from './page-dialogs.tsx';
import {
  useFocusOnTerminal,
  usePageKeys,
  useTerminalViews,
  useWindowIcon,
  useWindowTitle,
} from './page-effects.ts';
import type { PushSwitch } from './push/push-switch.ts';
import { useShownSession } from './push/use-shown-session.ts';
import type { PagePanel } from './run-command.ts';
import type { SettingsStore } from './settings/settings.ts';
import { TerminalStage } from './terminal-stage.tsx';
import { type TerminalSessions, useTerminalSessions } from './use-terminal-sessions.ts';

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
  readonly push: PushSwitch | null;
}

export function TerminalPage(props: Props) {
  const { client, push, settings, state, wasLive, workspace, onLogOut, signIn } = props;
  const sessions = useTerminalSessions(props);
  const { views, view, windowTabs } = sessions;
  const page = useRef<HTMLDivElement>(null);
  useVisualViewport(page);
  useTerminalViews(page, views);
  const active = view.active?.key ?? null;
  const { commands, opened } = useCommands(props, sessions, active);
  useFocusOnTerminal(active, views);
  const wanting = view.tabs.filter(({ attention }) => attention !== null).length;
  useWindowTitle(view.active?.label ?? '', workspace, view.active?.progress, wanting);
  useNotifications({ settings, windowTabs: sessions.windowTabs, workspace, tabs: view.tabs });
  const { away, dismiss } = useAwayDigest(client, workspace);
  useWindowIcon(view.active?.progress);
  usePageKeys(page, commands.pressed);
  const isReady = view.isSettled && state.name === 'live';
  useShownSession({ client, isReady, open: useCallback((info) => windowTabs.open(info), [windowTabs]) });
  return (
    <div className="page" ref={page}>
      <Header workspace={workspace} sessions={sessions} commands={commands} opened={opened} />
      <TerminalStage
        sessions={sessions}
        commands={commands}
        state={state}
        finding={opened.finding}
        away={away}
        onDismissAway={() => {
          dismiss();
          views.focus();
        }}
        onFound={() => {
          opened.setFinding(null);
          views.focus();
        }}
      />
      <LoginBar
        signIn={signIn}
        workspace={workspace}
        hasEnded={state.name === 'refused' && state.code === CLOSE.unauthorized}
      />
      {view.mayType && view.active !== null && (
        <Typing sessions={sessions} settings={settings} commands={commands} target={view.active.label} />
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
      <TerminalMenu sessions={sessions} commands={commands} />
      <CommandMarkDialogs sessions={sessions} commands={commands} />
      <TerminalQuestions sessions={sessions} commands={commands} settings={settings} />
      <MaybeClosingDialog question={opened.closing} commands={commands} />
      <OpenedPanel
        opened={opened.panel}
        workspace={workspace}
        client={client}
        sessions={sessions}
        settings={settings}
        push={client.access.isGuest ? null : push}
        commands={commands}
        mayShare={commands.mayShare}
        onOpen={opened.setPanel}
        onClose={() => {
          opened.setPanel(null);
          commands.focusTerminal();
        }}
        onLogOut={onLogOut}
      />
    </div>
  );
}

interface TypingProps {
  readonly sessions: TerminalSessions;
  readonly settings: SettingsStore;
  readonly commands: PageCommands;
  /** The name of the terminal that is typed into. */
  readonly target: string;
}

/** What helps to type, below the terminals. */
function Typing({ sessions, settings, commands, target }: TypingProps) {
  const { composer, views, view } = sessions;
  return (
    <>
      <MaybeComposerBar composer={composer} target={target} focusTerminal={commands.focusTerminal} />
      <MaybeKeyBar views={views} settings={settings} sticky={view.sticky} onCompose={commands.compose} />
    </>
  );
}

type Opened = ReturnType<typeof useOpened>;

/** What is open on the page beside the terminals. */
function useOpened(active: string | null) {
  const [panel, setPanel] = useState<PagePanel | null>(null);
  /** Key of the tab that is being searched. */
  const [finding, setFinding] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [closing, setClosing] = useState<ClosingQuestion | null>(null);
  // Switching to another terminal ends the search, and that terminal takes the focus.
  useEffect(() => setFinding((key) => (key === active ? key : null)), [active]);
  return { panel, setPanel, finding, setFinding, renaming, setRenaming, closing, setClosing };
}

function useCommands(
  { client, settings, signIn }: Props,
  { windowTabs, views, composer }: TerminalSessions,
  active: string | null,
) {
  const opened = useOpened(active);
  const { setClosing, setFinding, setPanel, setRenaming } = opened;
  // Guests let nobody in.
  const hasLogin = signIn !== null && !client.access.isGuest;
  const mayShare = hasLogin && client.role === 'operator';
  const commands = useMemo(() => {
    const set = { setClosing, setFinding, setOpened: setPanel, setRenaming };
    return pageCommands({ client, windowTabs, views, composer, settings, hasLogin, mayShare, ...set });
  }, [
    client,
    windowTabs,
    views,
    composer,
    settings,
    hasLogin,
    mayShare,
    setClosing,
    setFinding,
    setPanel,
    setRenaming,
  ]);
  return { commands, opened };
}

interface HeaderProps {
  readonly workspace: string;
  readonly sessions: TerminalSessions;
  readonly commands: PageCommands;
  readonly opened: Opened;
}

function Header({ workspace, sessions, commands, opened }: HeaderProps) {
  const { windowTabs, views, view } = sessions;
  return (
    <header className="header">
      <LogoIcon />
      <h1 className="product">Holdfast</h1>
      <span className="workspace">{workspace}</span>
      <TabBar
        tabs={view.bar}
        windowTabs={windowTabs}
        mayManage={view.mayManage}
        renaming={opened.renaming}
        onRename={opened.setRenaming}
        onClose={commands.closeTab}
        onNew={commands.newTerminal}
        menuOf={commands.tabMenu}
        focusTerminal={commands.focusTerminal}
      />
      <Tools
        hasTerminal={view.active !== null}
        hasLogin={commands.hasLogin}
        onShare={commands.mayShare ? commands.share : null}
        onFind={() => opened.setFinding(view.active?.key ?? null)}
        onOpen={opened.setPanel}
        onMenu={(at) => views.openMenu(at)}
      />
    </header>
  );
}
