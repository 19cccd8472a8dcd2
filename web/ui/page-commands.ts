/** The commands of the page as its parts use them: by key, button, menu and palette. */
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { commandOf } from './commands/command-keys.ts';
import type { PaletteItem } from './commands/command-palette.tsx';
import type { PageCommand } from './commands/command-table.ts';
import type { ClosingQuestion } from './components/questions.tsx';
import type { MenuItem } from './elements/menu.tsx';
import { tabMenuItems, terminalMenuItems } from './page-menus.ts';
import { paletteItems } from './palette-items.ts';
import { closeTabs, focusTerminal, type PageParts, runCommand } from './run-command.ts';
import { optionComposes } from './settings/platform.ts';
import { groupsOf } from './tabs/splits.ts';
import type { Tabs } from './tabs/tabs.ts';

export interface PageCommands {
  /** Whether the page has a login of its own, with which another device can be let in. */
  readonly hasLogin: boolean;
  /** Whether the user may make links for others. */
  readonly mayShare: boolean;
  /** Opens the dialog that makes a link; the active terminal is suggested. */
  share(): void;
  newTerminal(): void;
  /** Closes a tab with all of its panes. */
  closeTab(key: string): void;
  /** The user has answered the question about closing tabs. */
  closed(answer: 'end' | 'keep' | null, question: ClosingQuestion): void;
  undo(): void;
  /** Opens the field for text that is written before it is sent, or closes it. */
  compose(): void;
  /** Shows a session in a tab, at one of its commands if one is named. */
  goTo(session: string, command?: number): void;
  focusTerminal(): void;
  /** Copies the touch selection and clears it. */
  copySelection(): void;
  pasteOverSelection(): void;
  pressed(event: KeyboardEvent): void;
  /** The menu of the active terminal. */
  menu(): MenuItem[];
  /** The menu of a tab. */
  tabMenu(key: string): MenuItem[];
  /** What the palette offers; `sessions` are those of the workspace. */
  palette(sessions: readonly SessionInfo[]): PaletteItem[];
  /** The sessions of the workspace; none if they cannot be listed. */
  listSessions(): Promise<readonly SessionInfo[]>;
}

export function pageCommands(parts: PageParts): PageCommands {
  const { client, windowTabs, views } = parts;
  const focus = () => focusTerminal(parts);
  const run = (command: PageCommand, key = windowTabs.list.active) => runCommand(command, parts, key);
  const goToSession = (session: string, command?: number) => void goTo(parts, session, command).then(focus);
  views.command = run;
  return {
    hasLogin: parts.hasLogin,
    mayShare: parts.mayShare,
    share: () => run({ kind: 'share' }),
    compose: () => run({ kind: 'compose' }),
    newTerminal: () => run({ kind: 'new' }),
    closeTab: (key) => closeTabs(parts, panesBeside(windowTabs, key)),
    undo: () => {
      windowTabs.undoClose();
      focus();
    },
    goTo: goToSession,
    focusTerminal: focus,
    copySelection: () => {
      views.input.copySelection();
      views.active?.clearSelection();
    },
    pasteOverSelection: () => {
      views.active?.clearSelection();
      // The browser may ask for permission, and the user may deny it.
      void views.input.pasteFromClipboard().catch(() => {});
    },
    closed: (answer, { keys }) => {
      parts.setClosing(null);
      if (answer !== null) windowTabs.close(keys, { keep: answer === 'keep' });
      focus();
    },
    pressed: (event) => {
      const command = commandOf(event, optionComposes(parts.settings.current));
      if (command === null) return;
      event.preventDefault();
      run(command);
    },
    menu: () => terminalMenuItems(parts, run),
    tabMenu: (key) => tabMenuItems(parts, key, run),
    palette: (sessions) => paletteItems(parts, { sessions, run, goTo: goToSession }),
    listSessions: () => sessionsOf(client),
  };
}

function sessionsOf(client: WorkspaceClient): Promise<readonly SessionInfo[]> {
  return client.list().catch(() => []);
}

function panesBeside({ list }: Tabs, key: string): readonly string[] {
  return groupsOf(list).find(({ keys }) => keys.includes(key))?.keys ?? [];
}

async function goTo(
  { client, windowTabs, views }: PageParts,
  session: string,
  command?: number,
): Promise<void> {
  const keyOf = () => windowTabs.list.tabs.find((tab) => tab.session === session)?.key;
  if (keyOf() === undefined) {
    const info = (await sessionsOf(client)).find(({ id }) => id === session);
    if (info !== undefined) windowTabs.open(info);
  }
  const key = keyOf();
  if (key === undefined) return;
  windowTabs.activate(key);
  if (command !== undefined) views.marks.goTo(key, command);
}
