/** Carries out the commands of the page, whether they come from a key, a button or a menu. */

import { flushSync } from 'react-dom';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { promptItems } from './command-menu.ts';
import type { ClosingQuestion } from './components/questions.tsx';
import type { Composer } from './composer/composer.ts';
import type { MenuItem } from './elements/menu.tsx';
import { optionComposes } from './settings/platform.ts';
import { FONT_SIZE_MAX, FONT_SIZE_MIN, type SettingsStore } from './settings/settings.ts';
import { commandOf, type PageCommand } from './settings/shortcuts.ts';
import { neighbour, tabOf } from './tabs/tab-list.ts';
import type { Tabs } from './tabs/tabs.ts';
import { runningProgram } from './view/shells.ts';
import type { TabsView } from './view/tabs-view.ts';
import type { TerminalViews } from './view/terminal-views.ts';

/** `share`: the session that is suggested; null for all. */
export type PagePanel = 'sessions' | 'device' | 'settings' | { readonly share: string | null };

interface PageParts {
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

export interface PageCommands {
  /** Whether the page has a login of its own, with which another device can be let in. */
  readonly hasLogin: boolean;
  /** Whether the user may make links for others. */
  readonly mayShare: boolean;
  /** Opens the dialog that makes a link; the active terminal is suggested. */
  share(): void;
  newTerminal(): void;
  close(key: string): void;
  /** The user has answered the question about closing a tab. */
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
  menu(view: TabsView): MenuItem[];
}

export function pageCommands(parts: PageParts): PageCommands {
  const { windowTabs, views } = parts;
  const focusTerminal = () => {
    // Renders pending changes first: a terminal that is still hidden cannot take the focus.
    flushSync(() => {});
    views.focus();
  };
  const finish = (key: string, keep: boolean) => {
    windowTabs.close(key, { keep });
    focusTerminal();
  };
  const close = (key: string) => {
    void closingQuestion(parts, key).then((question) => {
      if (question === null) finish(key, false);
      else parts.setClosing(question);
    });
  };
  const undo = () => {
    windowTabs.undoClose();
    focusTerminal();
  };
  const newTerminal = () => {
    windowTabs.newTerminal();
    focusTerminal();
  };
  const newTerminalHere = () => {
    if (!windowTabs.mayManage) return;
    void directoryOf(parts).then((cwd) => {
      windowTabs.newTerminal(cwd === null ? {} : { cwd });
      focusTerminal();
    });
  };
  const actions = { close, focusTerminal, newTerminal, newTerminalHere, undo };
  const run = (command: PageCommand) => obey(command, parts, actions);
  views.command = run;
  return {
    hasLogin: parts.hasLogin,
    mayShare: parts.mayShare,
    share: () => share(parts),
    newTerminal,
    close,
    undo,
    compose: () => run({ kind: 'compose' }),
    goTo: (session, command) => void goTo(parts, session, command).then(focusTerminal),
    focusTerminal,
    copySelection: () => {
      views.input.copySelection();
      views.active?.clearSelection();
    },
    pasteOverSelection: () => {
      views.active?.clearSelection();
      // The browser may ask for permission, and the user may deny it.
      void views.input.pasteFromClipboard().catch(() => {});
    },
    closed: (answer, { key }) => {
      parts.setClosing(null);
      if (answer === null) focusTerminal();
      else finish(key, answer === 'keep');
    },
    pressed: (event) => {
      const command = commandOf(event, optionComposes(parts.settings.current));
      if (command === null) return;
      event.preventDefault();
      run(command);
    },
    menu: (view) => menuItems(view, parts, run, focusTerminal),
  };
}

/** Asks the agent at this moment, because the running program changes without notice. */
async function closingQuestion(
  { client, windowTabs }: PageParts,
  key: string,
): Promise<ClosingQuestion | null> {
  const tab = tabOf(windowTabs.list, key);
  const session = tab?.session ?? null;
  if (tab === undefined || session === null || windowTabs.flow(key)?.state.name !== 'attached') return null;
  try {
    const info = await currentInfo(client, session);
    if (info === undefined || info.status !== 'running') return null;
    const program = runningProgram(info.foreground);
    const others = Math.max(0, info.attached - 1);
    return program === null && others === 0 ? null : questionOf(key, tab.name, program, others);
  } catch {
    // The agent cannot be asked. The tab is closed, and its shell is ended when the agent is back, with time to undo.
    return null;
  }
}

async function goTo(
  { client, windowTabs, views }: PageParts,
  session: string,
  command?: number,
): Promise<void> {
  const keyOf = () => windowTabs.list.tabs.find((tab) => tab.session === session)?.key;
  if (keyOf() === undefined) {
    const info = (await client.list().catch(() => [])).find(({ id }) => id === session);
    if (info !== undefined) windowTabs.open(info);
  }
  const key = keyOf();
  if (key === undefined) return;
  windowTabs.activate(key);
  if (command !== undefined) views.marks.goTo(key, command);
}

/** What the agent says of a session at this moment. */
async function currentInfo(client: WorkspaceClient, session: string): Promise<SessionInfo | undefined> {
  await client.refresh(session);
  return (await client.list()).find(({ id }) => id === session);
}

/** The working directory of the active terminal; null if it is not known. */
async function directoryOf({ client, windowTabs: { list } }: PageParts): Promise<string | null> {
  const session = list.tabs.find(({ key }) => key === list.active)?.session ?? null;
  if (session === null) return null;
  try {
    return (await currentInfo(client, session))?.cwd ?? null;
  } catch {
    // The agent cannot be asked, and will start the shell where it starts others.
    return null;
  }
}

type Actions = Pick<PageCommands, 'close' | 'focusTerminal' | 'newTerminal' | 'undo'> & {
  newTerminalHere(): void;
};

function obey(command: PageCommand, parts: PageParts, actions: Actions): void {
  const { windowTabs, views } = parts;
  const { active } = windowTabs.list;
  switch (command.kind) {
    case 'new':
      return actions.newTerminal();
    case 'new-here':
      return actions.newTerminalHere();
    case 'close':
      return active === null || !windowTabs.mayManage ? undefined : actions.close(active);
    case 'undo':
      return actions.undo();
    case 'rename':
      return windowTabs.mayManage ? parts.setRenaming(active) : undefined;
    case 'compose':
      return compose(parts, actions);
    case 'find':
      return parts.setFinding(active);
    case 'sessions':
    case 'settings':
      return parts.setOpened(command.kind);
    case 'switch':
    case 'go': {
      const { list } = windowTabs;
      const tab = command.kind === 'go' ? list.tabs[command.index] : neighbour(list, command.step);
      if (tab !== undefined) windowTabs.activate(tab.key);
      return actions.focusTerminal();
    }
    case 'move':
      return active === null ? undefined : windowTabs.moveBy(active, command.step);
    case 'zoom':
      return zoom(parts, command.step);
    case 'prompt':
      return views.active?.marks.jump(command.step);
    case 'to-terminal':
      return views.focus();
    case 'to-tabs':
      return document.getElementById(`tab-${active}`)?.focus();
  }
}

function compose({ composer, windowTabs }: PageParts, { focusTerminal }: Actions): void {
  if (!windowTabs.mayType || windowTabs.list.active === null) return;
  if (!composer.current().isOpen) return composer.open();
  composer.close();
  focusTerminal();
}

function zoom({ settings, views }: PageParts, step: 1 | -1 | 0): void {
  const wanted = (views.fontSize ?? 0) + step;
  settings.change({
    fontSize: step === 0 ? null : Math.min(FONT_SIZE_MAX, Math.max(FONT_SIZE_MIN, wanted)),
  });
}

function menuItems(
  { active, mayType, mayManage }: TabsView,
  parts: PageParts,
  run: (command: PageCommand) => void,
  focusTerminal: () => void,
): MenuItem[] {
  const { views } = parts;
  const back = (act: () => void) => () => {
    act();
    focusTerminal();
  };
  const items: MenuItem[] = [
    {
      label: 'Copy',
      keys: 'Ctrl+Shift+C',
      isDisabled: views.active?.selection === '',
      run: back(() => views.input.copySelection()),
    },
  ];
  if (mayType) {
    items.push({
      label: 'Paste',
      keys: 'Ctrl+Shift+V',
      // The browser may ask for permission, and the user may deny it.
      run: back(() => void views.input.pasteFromClipboard().catch(() => {})),
    });
  }
  if (mayType && active !== null)
    items.push({ label: 'Compose text', keys: 'Alt+Shift+E', run: () => run({ kind: 'compose' }) });
  items.push(
    { label: 'Select all', run: back(() => views.active?.selectAll()) },
    { label: 'Find', keys: 'Ctrl+Shift+F', run: () => run({ kind: 'find' }) },
    ...promptItems(views, focusTerminal),
  );
  if (mayManage && active !== null) {
    items.push(
      { label: 'New terminal here', keys: 'Alt+Shift+H', run: () => run({ kind: 'new-here' }) },
      { label: 'Rename', keys: 'Alt+Shift+R', run: () => run({ kind: 'rename' }) },
      { label: 'Move left', keys: 'Alt+Shift+PageUp', run: () => run({ kind: 'move', step: -1 }) },
      { label: 'Move right', keys: 'Alt+Shift+PageDown', run: () => run({ kind: 'move', step: 1 }) },
      { label: 'Close terminal', keys: 'Alt+Shift+W', run: () => run({ kind: 'close' }) },
    );
  }
  if (parts.mayShare) items.push({ label: 'Share…', run: () => share(parts) });
  if (parts.hasLogin) items.push({ label: ANOTHER_DEVICE, run: () => parts.setOpened('device') });
  return items;
}

function share({ setOpened, windowTabs: { list } }: PageParts): void {
  setOpened({ share: list.tabs.find(({ key }) => key === list.active)?.session ?? null });
}

/** Also here, because the toolbar of a phone has no room for it. */
const ANOTHER_DEVICE = 'Continue on another device';

function questionOf(key: string, name: string, program: string | null, others: number): ClosingQuestion {
  return { key, name: printable(name), program: program === null ? null : printable(program), others };
}
