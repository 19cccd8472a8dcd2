/** What opens over the page: the menu of the terminal, questions, and the panels. */
import { Suspense } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { commandItems } from './command-menu.ts';
import { CommandPalette } from './commands/command-palette.tsx';
import { LinkQuestion } from './components/link-question.tsx';
import { MarkHeading, MarkTip } from './components/mark-tip.tsx';
import { ClosingDialog, type ClosingQuestion, QuestionDialog } from './components/questions.tsx';
import type { Composer } from './composer/composer.ts';
import { Menu } from './elements/menu.tsx';
import { LazyDeviceDialog, LazySessionsPanel, LazySettingsPanel, LazyShareDialog } from './lazy-panels.tsx';
import type { PageCommands } from './page-commands.ts';
import type { PushSwitch } from './push/push-switch.ts';
import type { PagePanel } from './run-command.ts';
import type { SettingsStore } from './settings/settings.ts';
import type { TerminalSessions } from './use-terminal-sessions.ts';

interface Props {
  readonly sessions: TerminalSessions;
  readonly commands: PageCommands;
  readonly settings: SettingsStore;
}

export function TerminalMenu({ sessions, commands }: Omit<Props, 'settings'>) {
  const { views, view } = sessions;
  if (view.menu === null) return null;
  return (
    <Menu
      label="Terminal actions"
      at={view.menu}
      items={commands.menu()}
      onClose={() => views.openMenu(null)}
      onDismiss={() => {
        views.openMenu(null);
        commands.focusTerminal();
      }}
    />
  );
}

/** What is told of a command whose mark is under the mouse, and what can be done with one that was chosen. */
export function CommandMarkDialogs({ sessions, commands }: Omit<Props, 'settings'>) {
  const { views, view } = sessions;
  const { markMenu: menu, markTip: tip } = view;
  if (menu === null) return tip === null ? null : <MarkTip {...tip} />;
  const close = () => views.marks.close();
  return (
    <Menu
      label={`${menu.title}, ${menu.details}`}
      heading={<MarkHeading {...menu} />}
      at={menu.at}
      items={commandItems(menu, views, commands.focusTerminal)}
      onClose={close}
      onDismiss={() => {
        close();
        commands.focusTerminal();
      }}
    />
  );
}

/** Questions that a paste, a program or a tapped link has raised. */
export function TerminalQuestions({ sessions, commands, settings }: Props) {
  const { views, view } = sessions;
  const { question, tapped } = view;
  return (
    <>
      {question !== null && (
        <QuestionDialog
          question={question}
          onAnswer={(isYes) => {
            views.input.answer(isYes);
            commands.focusTerminal();
          }}
          onAlways={() =>
            settings.change(
              question.kind === 'paste' ? { pasteWarning: false } : { clipboardWrite: 'always' },
            )
          }
        />
      )}
      {tapped !== null && (
        <LinkQuestion
          address={tapped.address}
          onCopy={() => views.input.copy(tapped.address)}
          onClose={() => {
            views.askToOpen(null);
            if (tapped.hadFocus) commands.focusTerminal();
          }}
        />
      )}
    </>
  );
}

interface ClosingProps {
  readonly question: ClosingQuestion | null;
  readonly commands: PageCommands;
}

export function MaybeClosingDialog({ question, commands }: ClosingProps) {
  if (question === null) return null;
  return (
    <ClosingDialog
      question={question}
      onCancel={() => commands.closed(null, question)}
      onKeep={() => commands.closed('keep', question)}
      onEnd={() => commands.closed('end', question)}
    />
  );
}

interface PanelProps extends Props {
  readonly opened: PagePanel | null;
  readonly client: WorkspaceClient;
  readonly push: PushSwitch | null;
  readonly workspace: string;
  readonly mayShare: boolean;
  readonly onOpen: (panel: PagePanel) => void;
  readonly onClose: () => void;
  readonly onLogOut: (() => void) | null;
}

export function OpenedPanel(props: PanelProps) {
  const {
    opened,
    client,
    commands,
    push,
    sessions,
    settings,
    workspace,
    mayShare,
    onOpen,
    onClose,
    onLogOut,
  } = props;
  const { windowTabs, views, composer } = sessions;
  return (
    <Suspense>
      {opened === 'palette' && <CommandPalette commands={commands} onClose={onClose} />}
      {opened === 'sessions' && (
        <LazySessionsPanel
          client={client}
          windowTabs={windowTabs}
          workspace={workspace}
          settings={settings}
          push={push}
          onShare={mayShare ? (share) => onOpen({ share }) : null}
          onClose={onClose}
        />
      )}
      {typeof opened === 'object' && opened !== null && (
        <LazyShareDialog client={client} workspace={workspace} session={opened.share} onClose={onClose} />
      )}
      {opened === 'device' && (
        <LazyDeviceDialog
          workspace={workspace}
          role={windowTabs.mayType ? 'operator' : 'viewer'}
          onClose={onClose}
        />
      )}
      {opened === 'settings' && (
        <LazySettingsPanel
          store={settings}
          push={push}
          fontSize={views.fontSize ?? 0}
          onClose={onClose}
          onLogOut={onLogOut && leaves(composer, onLogOut)}
        />
      )}
    </Suspense>
  );
}

/** Whoever signs out leaves no text behind in this browser. */
function leaves(composer: Composer, logOut: () => void): () => void {
  return () => {
    composer.forget();
    logOut();
  };
}
