/** The menus of a terminal and of a tab, made from the table of commands. */
import { promptItems } from './command-menu.ts';
import { isOffered, reasonAgainst } from './commands/availability.ts';
import { entryOf, type PageCommand } from './commands/command-table.ts';
import type { MenuItem } from './elements/menu.tsx';
import { contextOf, focusTerminal, type PageParts } from './run-command.ts';
import { splitOf } from './tabs/splits.ts';

type Run = (command: PageCommand, key: string | null) => void;

export function terminalMenuItems(parts: PageParts, run: Run): MenuItem[] {
  const items = (...ids: string[]) => itemsOf(ids, { parts, key: parts.windowTabs.list.active, run });
  return [
    // The palette here, because a phone has no keys for it.
    ...items('copy', 'paste', 'compose', 'select-all', 'find', 'palette'),
    ...promptItems(parts.views, () => focusTerminal(parts)),
    ...items('new-here', 'duplicate', 'split-right', 'split-down'),
    ...paneItems(parts, items),
    ...items('rename', 'move-left', 'move-right', 'clear', 'close'),
    // Also here, because the toolbar of a phone has no room for them.
    ...items('share', 'device'),
  ];
}

export function tabMenuItems(parts: PageParts, key: string, run: Run): MenuItem[] {
  const items = (...ids: string[]) => itemsOf(ids, { parts, key, run });
  return [
    ...items('rename', 'duplicate', 'new-here', 'split-right', 'split-down'),
    ...paneItems(parts, items, key),
    ...items('move-left', 'move-right', 'clear', 'close', 'close-others', 'reopen'),
  ];
}

/** Only where there are panes: otherwise these would make the menu long for nothing. */
function paneItems(
  parts: PageParts,
  items: (...ids: string[]) => MenuItem[],
  key = parts.windowTabs.list.active,
): MenuItem[] {
  if (splitOf(parts.windowTabs.list, key) === null) return [];
  // Where one is shown at a time anyway, there is nothing to zoom or resize.
  if (parts.windowTabs.panes.isNarrow) return items('close-tab');
  return items('next-pane', 'zoom-pane', 'to-divider', 'close-tab');
}

interface About {
  readonly parts: PageParts;
  /** The tab that the menu is about. */
  readonly key: string | null;
  readonly run: Run;
}

function itemsOf(ids: readonly string[], { parts, key, run }: About): MenuItem[] {
  const context = contextOf(parts, key);
  return ids
    .map(entryOf)
    .filter(({ command }) => isOffered(command, context))
    .map(({ command, keys, short, title }) => {
      const reason = reasonAgainst(command, context);
      return {
        label: short ?? title,
        isDisabled: reason !== null,
        ...(keys === undefined ? {} : { keys: keys.replace(/ \(.*$|,.*$/, '') }),
        ...(reason === null ? {} : { hint: reason }),
        run: () => run(command, key),
      };
    });
}
