/** The tab bar: the tabs, the field that renames one, the menu of all when there is no room, and a new terminal. */
import { memo, type RefObject, useEffect, useRef, type WheelEvent } from 'react';
import { PlusIcon } from '../elements/icons.tsx';
import type { MenuItem } from '../elements/menu.tsx';
import { useOverflow } from '../elements/use-overflow.ts';
import type { Tabs } from '../tabs/tabs.ts';
import type { BarTab } from '../view/bar-tabs.ts';
import { AllTabs } from './all-tabs.tsx';
import { TabMenu, useTabMenu } from './tab-menu.tsx';
import { TabName } from './tab-name.tsx';
import { TabProgress } from './tab-progress.tsx';
import { TabRow } from './tab-row.tsx';

interface Props {
  readonly tabs: readonly BarTab[];
  readonly windowTabs: Tabs;
  readonly mayManage: boolean;
  /** Key of the tab that is being renamed. */
  readonly renaming: string | null;
  readonly onRename: (key: string | null) => void;
  readonly onClose: (key: string) => void;
  readonly onNew: () => void;
  readonly menuOf: (key: string) => readonly MenuItem[];
  readonly focusTerminal: () => void;
}

export const TabBar = memo(function TabBar(props: Props) {
  const { windowTabs, focusTerminal, mayManage, menuOf, onClose, onNew, onRename, renaming, tabs } = props;
  const strip = useRef<HTMLDivElement>(null);
  const more = useOverflow(strip, tabs);
  const menu = useTabMenu();
  const active = tabs.find(({ isActive }) => isActive)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when a tab is added or moved
  useEffect(() => {
    tabIn(strip, active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, tabs.length]);

  const choose = (key: string) => {
    windowTabs.activate(key);
    focusTerminal();
  };
  const go = (key: string) => {
    windowTabs.activate(key);
    // The focus stays in the tab bar, so that the next arrow key continues from here.
    tabIn(strip, key)?.focus();
  };
  const named = (key: string, name: string | null) => {
    if (name !== null) windowTabs.rename(key, name);
    onRename(null);
    focusTerminal();
  };
  return (
    <div className="tab-area">
      <div
        className="tab-strip"
        ref={strip}
        data-more-left={more.left || undefined}
        data-more-right={more.right || undefined}
        onWheel={scrollSideways}
      >
        <TabRow
          tabs={tabs}
          windowTabs={windowTabs}
          mayManage={mayManage}
          isDraggable={renaming === null}
          onChoose={choose}
          onGo={go}
          onRename={onRename}
          onClose={onClose}
          onMenu={menu.open}
        />
        {renaming !== null && (
          <TabName
            name={tabs.find(({ key }) => key === renaming)?.name ?? ''}
            over={tabIn(strip, renaming)}
            onDone={(name) => named(renaming, name)}
          />
        )}
      </div>
      <TabProgress tabs={tabs} />
      {(more.left || more.right) && <AllTabs tabs={tabs} onGo={choose} focusTerminal={focusTerminal} />}
      <TabMenu
        menu={menu}
        tabs={tabs}
        itemsOf={menuOf}
        focusTab={(key) => tabIn(strip, key)?.focus()}
        focusTerminal={focusTerminal}
      />
      {mayManage && <NewTerminal onNew={onNew} />}
    </div>
  );
});

function tabIn(strip: RefObject<HTMLElement | null>, key: string | undefined): HTMLElement | null {
  return strip.current?.querySelector<HTMLElement>(`[id="tab-${key}"]`) ?? null;
}

/** A mouse wheel only scrolls vertically, so that is applied to the horizontal row. */
function scrollSideways({ currentTarget, deltaX, deltaY }: WheelEvent): void {
  if (deltaX === 0) currentTarget.scrollLeft += deltaY;
}

function NewTerminal({ onNew }: { readonly onNew: () => void }) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="New terminal"
      title="New terminal (Alt+Shift+N)"
      onClick={onNew}
    >
      <PlusIcon />
    </button>
  );
}
