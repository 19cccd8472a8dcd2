/** The row of tabs: chosen by mouse, touch and keyboard, moved by dragging. */
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import type { MenuPlace } from '../elements/menu.tsx';
import type { Tabs } from '../tabs/tabs.ts';
import type { BarTab } from '../view/bar-tabs.ts';
import { tabKeyAction } from '../view/tab-keys.ts';
import { TabButton } from './tab-button.tsx';

interface Props {
  readonly tabs: readonly BarTab[];
  readonly windowTabs: Tabs;
  readonly mayManage: boolean;
  /** False while the text field for a name must not be dragged along. */
  readonly isDraggable: boolean;
  readonly onChoose: (key: string) => void;
  /** Moves the focus to a tab, without leaving the row. */
  readonly onGo: (key: string) => void;
  readonly onRename: (key: string) => void;
  readonly onClose: (key: string) => void;
  /** `byKeyboard`: the focus is on the tab, and goes back there. */
  readonly onMenu: (key: string, at: MenuPlace, byKeyboard: boolean) => void;
}

export function TabRow(props: Props) {
  const { tabs, windowTabs, mayManage, isDraggable, onChoose, onGo, onMenu, onRename, onClose } = props;
  const [dragged, setDragged] = useState<string | null>(null);
  const pressed = (event: KeyboardEvent, { key }: BarTab, index: number) => {
    const act = tabKeyAction(event, index, tabs.length);
    if (act === null) return;
    event.preventDefault();
    const next = act.kind === 'go' ? tabs.at(act.index)?.key : undefined;
    if (next !== undefined) onGo(next);
    else if (act.kind === 'move') windowTabs.moveBy(key, act.step);
    else if (act.kind === 'close' && mayManage) onClose(key);
    else if (act.kind === 'rename' && mayManage) onRename(key);
    else if (act.kind === 'menu') onMenu(key, below(event.currentTarget), true);
  };
  const draggedOver = (event: DragEvent, index: number) => {
    if (dragged === null) return;
    event.preventDefault();
    if (tabs[index]?.key !== dragged) windowTabs.move(dragged, index);
  };
  return (
    <div role="tablist" aria-label="Terminals" className="tabs">
      {tabs.map((tab, index) => (
        <TabButton
          key={tab.panes[0]}
          tab={tab}
          mayManage={mayManage}
          isDraggable={isDraggable}
          isDragged={dragged === tab.key}
          onChoose={() => onChoose(tab.key)}
          onClose={() => onClose(tab.key)}
          onRename={() => onRename(tab.key)}
          onMenu={(at) => onMenu(tab.key, at, false)}
          onKeyDown={(event) => pressed(event, tab, index)}
          onDragStart={() => setDragged(tab.key)}
          onDragOver={(event) => draggedOver(event, index)}
          onDragEnd={() => setDragged(null)}
        />
      ))}
    </div>
  );
}

function below(tab: Element): MenuPlace {
  const { left, bottom } = tab.getBoundingClientRect();
  return { x: left, y: bottom };
}
