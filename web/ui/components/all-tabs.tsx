/** The menu of all tabs, shown when the tab bar has no room for them. */
import { useState } from 'react';
import { DownIcon } from '../elements/icons.tsx';
import { Menu } from '../elements/menu.tsx';
import { progressText } from '../view/progress.ts';
import { TAB_MARKS } from '../view/tab-marks.ts';
import type { TabView } from '../view/tab-view.ts';

interface Props {
  readonly tabs: readonly TabView[];
  readonly onGo: (key: string) => void;
  readonly focusTerminal: () => void;
}

export function AllTabs({ tabs, onGo, focusTerminal }: Props) {
  const [at, setAt] = useState<{ readonly x: number; readonly y: number } | null>(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="All terminals"
        title={`All ${tabs.length} terminals`}
        aria-haspopup="menu"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          setAt({ x: left, y: bottom + 4 });
        }}
      >
        <DownIcon />
      </button>
      {at !== null && (
        <Menu
          label="All terminals"
          at={at}
          items={tabs.map((tab) => ({
            id: tab.key,
            label: tab.label,
            isCurrent: tab.isActive,
            ...hintOf(tab),
            run: () => onGo(tab.key),
          }))}
          onClose={() => setAt(null)}
          onDismiss={() => {
            setAt(null);
            focusTerminal();
          }}
        />
      )}
    </>
  );
}

/** That somebody is wanted is more urgent than how far a program is. */
function hintOf({ attention, marker, progress }: TabView): { readonly hint?: string } {
  if (attention === null && progress !== null) return { hint: progressText(progress) };
  return marker === null ? {} : { hint: TAB_MARKS[marker] };
}
