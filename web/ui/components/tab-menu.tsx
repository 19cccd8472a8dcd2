/** The menu of a tab: by right click, a long press, or the menu key. */
import { useState } from 'react';
import { Menu, type MenuItem, type MenuPlace } from '../elements/menu.tsx';
import type { TabView } from '../view/tab-view.ts';

interface Opened {
  readonly key: string;
  readonly at: MenuPlace;
  readonly byKeyboard: boolean;
}

export function useTabMenu() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const open = (key: string, at: MenuPlace, byKeyboard: boolean) => setOpened({ key, at, byKeyboard });
  return { opened, open, close: () => setOpened(null) };
}

interface Props {
  readonly menu: ReturnType<typeof useTabMenu>;
  readonly tabs: readonly TabView[];
  readonly itemsOf: (key: string) => readonly MenuItem[];
  readonly focusTab: (key: string) => void;
  readonly focusTerminal: () => void;
}

export function TabMenu({ menu, tabs, itemsOf, focusTab, focusTerminal }: Props) {
  const { close, opened } = menu;
  const tab = tabs.find(({ key }) => key === opened?.key);
  if (opened === null || tab === undefined) return null;
  return (
    <Menu
      label={`Actions for ${tab.name}`}
      at={opened.at}
      items={itemsOf(tab.key)}
      onClose={close}
      onDismiss={() => {
        close();
        if (opened.byKeyboard) focusTab(tab.key);
        else focusTerminal();
      }}
    />
  );
}
