/** The tab bar: switches, closes, renames and moves tabs, by mouse, touch and keyboard. */
import { type DragEvent, type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { CloseIcon, PlusIcon } from '../elements/icons.tsx';
import { useOverflow } from '../elements/use-overflow.ts';
import type { Tabs } from '../tabs/tabs.ts';
import { tabKeyAction } from '../view/tab-keys.ts';
import { TAB_MARKS } from '../view/tab-marks.ts';
import type { TabView } from '../view/tab-view.ts';
import { AllTabs } from './all-tabs.tsx';
import { TabName } from './tab-name.tsx';

interface Props {
  readonly tabs: readonly TabView[];
  readonly windowTabs: Tabs;
  readonly mayType: boolean;
  /** Key of the tab that is being renamed. */
  readonly renaming: string | null;
  readonly onRename: (key: string | null) => void;
  readonly onClose: (key: string) => void;
  readonly onNew: () => void;
  readonly focusTerminal: () => void;
}

export const TabBar = memo(function TabBar(props: Props) {
  const { windowTabs, focusTerminal, mayType, onClose, onNew, onRename, renaming, tabs } = props;
  const strip = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const more = useOverflow(strip, tabs);
  const active = tabs.find(({ isActive }) => isActive)?.key;
  const tabElement = (key: string | undefined) =>
    strip.current?.querySelector<HTMLElement>(`[id="tab-${key}"]`) ?? null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: also when a tab is added or moved
  useEffect(() => {
    tabElement(active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, tabs.length]);

  const go = (key: string | undefined) => {
    if (key === undefined) return;
    windowTabs.activate(key);
    // The focus stays in the tab bar, so that the next arrow key continues from here.
    tabElement(key)?.focus();
  };
  const pressed = (event: KeyboardEvent, { key }: TabView, index: number) => {
    const act = tabKeyAction(event, index, tabs.length);
    if (act === null) return;
    event.preventDefault();
    if (act.kind === 'go') go(tabs.at(act.index)?.key);
    else if (!mayType && act.kind !== 'move') return;
    else if (act.kind === 'move') windowTabs.moveBy(key, act.step);
    else if (act.kind === 'close') onClose(key);
    else onRename(key);
  };
  const draggedOver = (event: DragEvent, index: number) => {
    if (dragged === null) return;
    event.preventDefault();
    if (tabs[index]?.key !== dragged) windowTabs.move(dragged, index);
  };

  return (
    <div className="tab-area">
      <div
        className="tab-strip"
        ref={strip}
        data-more-left={more.left || undefined}
        data-more-right={more.right || undefined}
        onWheel={({ currentTarget, deltaX, deltaY }) => {
          // A mouse wheel only scrolls vertically, so that is applied to the horizontal row.
          if (deltaX === 0) currentTarget.scrollLeft += deltaY;
        }}
      >
        <div role="tablist" aria-label="Terminals" className="tabs">
          {tabs.map((tab, index) => (
            <button
              key={tab.key}
              type="button"
              role="tab"
              id={`tab-${tab.key}`}
              className="tab"
              aria-label={tab.name}
              aria-selected={tab.isActive}
              aria-controls={`panel-${tab.key}`}
              aria-description={descriptionOf(tab)}
              data-marker={tab.marker ?? undefined}
              data-dragged={dragged === tab.key || undefined}
              tabIndex={tab.isActive ? 0 : -1}
              title={tab.label === tab.name ? tab.name : `${tab.name}: ${tab.running}`}
              draggable={renaming === null}
              onClick={() => {
                windowTabs.activate(tab.key);
                focusTerminal();
              }}
              onAuxClick={(event) => event.button === 1 && mayType && onClose(tab.key)}
              onDoubleClick={() => mayType && onRename(tab.key)}
              onKeyDown={(event) => pressed(event, tab, index)}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move';
                event.dataTransfer.setData('text/plain', tab.name);
                setDragged(tab.key);
              }}
              onDragOver={(event) => draggedOver(event, index)}
              onDrop={(event) => event.preventDefault()}
              onDragEnd={() => setDragged(null)}
            >
              <span className="tab-marker" aria-hidden="true" />
              <span className="tab-name">{tab.label}</span>
              {mayType && (
                // For the mouse only; the keyboard has Delete, and everybody has the menu.
                <span
                  className="tab-close"
                  aria-hidden="true"
                  onClick={(event) => {
                    event.stopPropagation();
                    onClose(tab.key);
                  }}
                >
                  <CloseIcon />
                </span>
              )}
            </button>
          ))}
        </div>
        {renaming !== null && (
          <TabName
            name={tabs.find(({ key }) => key === renaming)?.name ?? ''}
            over={tabElement(renaming)}
            onDone={(name) => {
              if (name !== null) windowTabs.rename(renaming, name);
              onRename(null);
              focusTerminal();
            }}
          />
        )}
      </div>
      {(more.left || more.right) && (
        <AllTabs
          tabs={tabs}
          onGo={(key) => {
            windowTabs.activate(key);
            focusTerminal();
          }}
          focusTerminal={focusTerminal}
        />
      )}
      {mayType && (
        <button
          type="button"
          className="icon-button"
          aria-label="New terminal"
          title="New terminal (Alt+Shift+N)"
          onClick={onNew}
        >
          <PlusIcon />
        </button>
      )}
    </div>
  );
});

/** The running program and the meaning of the mark. */
function descriptionOf({ marker, running }: TabView): string | undefined {
  const parts = [running, marker === null ? '' : TAB_MARKS[marker]].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(', ');
}
