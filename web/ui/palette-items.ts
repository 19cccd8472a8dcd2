/** What the command palette offers: the commands that are used last first, and every terminal to go to. */
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { isOffered, reasonAgainst } from './commands/availability.ts';
import type { PaletteItem } from './commands/command-palette.tsx';
import { COMMANDS, type PageCommand } from './commands/command-table.ts';
import { RecentCommands } from './commands/recent-commands.ts';
import { contextOf, focusTerminal, type PageParts } from './run-command.ts';
import { groupIndexOf } from './tabs/splits.ts';
import type { TabList } from './tabs/tab-list.ts';

interface PaletteSources {
  /** The sessions of the workspace. */
  readonly sessions: readonly SessionInfo[];
  readonly run: (command: PageCommand) => void;
  readonly goTo: (session: string) => void;
}

export function paletteItems(parts: PageParts, { sessions, run, goTo }: PaletteSources): PaletteItem[] {
  const { list } = parts.windowTabs;
  const recent = new RecentCommands(localStorage);
  const context = contextOf(parts, list.active);
  const commands = COMMANDS.filter(
    ({ command }) => command.kind !== 'palette' && isOffered(command, context),
  ).map(({ command, id, keys, title }) => ({
    id,
    title,
    ...(keys === undefined ? {} : { keys }),
    reason: reasonAgainst(command, context),
    run: () => {
      recent.used(id);
      run(command);
    },
  }));
  const tabs = list.tabs.map(({ key, name }) => ({
    id: `tab-${key}`,
    title: `Go to terminal ${printable(name)}`,
    reason: null,
    ...keysOf(list, key),
    run: () => {
      parts.windowTabs.activate(key);
      focusTerminal(parts);
    },
  }));
  const others = sessions
    .filter(({ id, status }) => status === 'running' && !list.tabs.some(({ session }) => session === id))
    .map(({ id, name }) => ({
      id: `session-${id}`,
      title: `Open terminal ${printable(name)}`,
      reason: null,
      run: () => goTo(id),
    }));
  return [...recent.sorted(commands), ...tabs, ...others];
}

/** The keys that go to the tab of a terminal. */
function keysOf(list: TabList, key: string): { readonly keys?: string } {
  const index = groupIndexOf(list, key);
  return index < 9 ? { keys: `Alt+Shift+${index + 1}` } : {};
}
