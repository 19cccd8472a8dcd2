/** Carries out the commands of the page, whether they come from a key, a button, a menu or the palette. */
import { flushSync } from 'react-dom';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { type CommandContext, reasonAgainst } from './commands/availability.ts';
import type { PageCommand } from './commands/command-table.ts';
import { dividerId } from './components/panes/pane-divider.tsx';
import type { ClosingQuestion } from './components/questions.tsx';
import type { Composer } from './composer/composer.ts';
import { closingQuestion, directoryOf } from './session-questions.ts';
import { FONT_SIZE_MAX, FONT_SIZE_MIN, type SettingsStore } from './settings/settings.ts';
import { branchAround } from './tabs/pane-tree.ts';
import { canSplit, groupIndexOf, groupsOf, paneBeside, splitOf } from './tabs/splits.ts';
import { copyName, indexOf, neighbour, tabOf } from './tabs/tab-list.ts';
import type { Tabs } from './tabs/tabs.ts';
import type { TerminalViews } from './view/terminal-views.ts';

/** `share`: the session that is suggested; null for all. */
export type PagePanel = 'palette' | 'sessions' | 'device' | 'settings' | { readonly share: string | null };

export interface PageParts {
  readonly client: WorkspaceClient;
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
  readonly settings: SettingsStore;
  readonly composer: Composer;
  readonly hasLogin: boolean;
  readonly mayShare: boolean;
  readonly setClosing: (question: ClosingQuestion | null) => void;
  readonly setFinding: (key: string | null) => void;
  readonly setOpened: (panel: PagePanel) => void;
  readonly setRenaming: (key: string | null) => void;
}

/** What the commands about the tab `key` depend on. */
export function contextOf(
  { windowTabs, views, hasLogin, mayShare }: PageParts,
  key: string | null,
): CommandContext {
  const { list, mayManage, mayType } = windowTabs;
  const screen = views.screen(key);
  const index = groupIndexOf(list, key);
  const groups = groupsOf(list);
  const terminal = {
    index,
    count: groups.length,
    panes: groups[index]?.keys.length ?? 0,
    canSplit: key !== null && canSplit(list, key),
    showsPanes: windowTabs.panes.arrangement.dividers.length > 0,
    hasSelection: screen !== undefined && screen.selection !== '',
    hasPrompts: screen?.marks.canJump === true,
    isFullScreen: screen?.history.isShown === false,
  };
  return {
    mayType,
    mayManage,
    hasLogin,
    mayShare,
    canReopen: windowTabs.closed.canReopen,
    terminal: index < 0 ? null : terminal,
  };
}

/** Renders pending changes first: a terminal that is still hidden cannot take the focus. */
export function focusTerminal({ views }: Pick<PageParts, 'views'>): void {
  flushSync(() => {});
  views.focus();
}

/** Runs a command about the tab `key`, if it can be run. */
export function runCommand(command: PageCommand, parts: PageParts, key: string | null): void {
  if (reasonAgainst(command, contextOf(parts, key)) !== null) return;
  if (key !== null && runOnTab(command, parts, key)) return;
  runOnPage(command, parts);
}

/** Closes tabs, and asks before if something runs in them. */
export function closeTabs(parts: PageParts, keys: readonly string[]): void {
  if (!parts.windowTabs.mayManage) return;
  void closingQuestion(parts, keys).then((question) => {
    if (question !== null) return parts.setClosing(question);
    parts.windowTabs.close(keys);
    focusTerminal(parts);
  });
}

/** Returns whether the command is one about a tab. */
function runOnTab(command: PageCommand, parts: PageParts, key: string): boolean {
  const { windowTabs, views } = parts;
  const { list } = windowTabs;
  const own = groupsOf(list).find(({ keys }) => keys.includes(key))?.keys ?? [];
  switch (command.kind) {
    case 'new-here':
      startHere(parts, key, () => ({}));
      return true;
    case 'duplicate':
      startHere(parts, key, () => placeBeside(windowTabs, key));
      return true;
    case 'close':
      closeTabs(parts, [key]);
      return true;
    case 'close-others':
      closeTabs(
        parts,
        list.tabs.map((tab) => tab.key).filter((other) => !own.includes(other)),
      );
      return true;
    case 'close-tab':
      closeTabs(parts, own);
      return true;
    case 'split':
      startHere(parts, key, () => ({ beside: { key, direction: command.direction } }));
      return true;
    case 'rename':
      parts.setRenaming(key);
      return true;
    case 'move':
      windowTabs.moveBy(key, command.step);
      return true;
    case 'pane':
      windowTabs.activate(paneBeside(list, key, command.step) ?? key);
      focusTerminal(parts);
      return true;
    case 'zoom-pane':
      windowTabs.panes.toggleZoom(key);
      focusTerminal(parts);
      return true;
    case 'to-divider':
      focusDivider(windowTabs, key);
      return true;
    case 'find':
      windowTabs.activate(key);
      parts.setFinding(key);
      return true;
    case 'compose':
      compose(parts);
      return true;
    case 'clear':
      views.screen(key)?.history.clear();
      focusTerminal(parts);
      return true;
    default:
      return false;
  }
}

function runOnPage(command: PageCommand, parts: PageParts): void {
  const { windowTabs, views } = parts;
  const { list } = windowTabs;
  const back = (act: () => void) => {
    act();
    focusTerminal(parts);
  };
  switch (command.kind) {
    case 'new':
      return back(() => windowTabs.newTerminal());
    case 'reopen':
      return back(() => windowTabs.reopen());
    case 'palette':
    case 'sessions':
    case 'device':
    case 'settings':
      return parts.setOpened(command.kind);
    case 'share':
      return share(parts);
    case 'switch':
    case 'go':
      return back(() => {
        const key =
          command.kind === 'go' ? groupsOf(list)[command.index]?.active : neighbour(list, command.step)?.key;
        if (key !== undefined) windowTabs.activate(key);
      });
    case 'zoom':
      return zoom(parts, command.step);
    case 'to-tabs':
      return document.getElementById(`tab-${list.active}`)?.focus();
    case 'to-terminal':
      return views.focus();
    default:
      return back(() => runOnText(command, views));
  }
}

function runOnText(command: PageCommand, { active, input }: TerminalViews): void {
  switch (command.kind) {
    case 'copy':
      return input.copySelection();
    case 'paste':
      // The browser may ask for permission, and the user may deny it.
      return void input.pasteFromClipboard().catch(() => {});
    case 'select-all':
      return active?.selectAll();
    case 'prompt':
      return active?.marks.jump(command.step);
  }
}

/** Opens the field for text that is written before it is sent, or closes it. */
function compose(parts: PageParts): void {
  const { composer } = parts;
  if (!composer.current().isOpen) return composer.open();
  composer.close();
  focusTerminal(parts);
}

function share({ setOpened, windowTabs: { list } }: PageParts): void {
  setOpened({ share: list.tabs.find(({ key }) => key === list.active)?.session ?? null });
}

/** The divider beside the pane, for the arrow keys. */
function focusDivider({ list }: Tabs, key: string): void {
  const tree = splitOf(list, key)?.tree;
  const path = tree === undefined ? null : branchAround(tree, key);
  if (path !== null) document.getElementById(dividerId(path))?.focus();
}

/** Starts a shell in the directory of the tab `key`. */
function startHere(parts: PageParts, key: string, place: () => Parameters<Tabs['newTerminal']>[0]): void {
  void directoryOf(parts, key).then((cwd) => {
    parts.windowTabs.newTerminal({ ...(cwd === null ? {} : { cwd }), ...place() });
    focusTerminal(parts);
  });
}

/** The agent does not tell with what command a session was started, so a copy has the same directory and a like name. */
function placeBeside({ list }: Tabs, key: string) {
  const name = copyName(list, tabOf(list, key)?.name ?? '');
  return { name, index: indexOf(list, key) + 1 };
}

function zoom({ settings, views }: PageParts, step: 1 | -1 | 0): void {
  const wanted = (views.fontSize ?? 0) + step;
  settings.change({
    fontSize: step === 0 ? null : Math.min(FONT_SIZE_MAX, Math.max(FONT_SIZE_MIN, wanted)),
  });
}
