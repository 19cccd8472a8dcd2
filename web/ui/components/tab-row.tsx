/** The row of tabs: chosen by mouse, touch and keyboard, moved by dragging. */
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import type { Tabs } from '../tabs/tabs.ts';
import { tabKeyAction } from '../view/tab-keys.ts';
import type { TabView } from '../view/tab-view.ts';
import { TabButton } from './tab-button.tsx';

interface Props {
  readonly tabs: readonly TabView[];
  readonly windowTabs: Tabs;
  readonly mayManage: boolean;
  /** False while the text field for a name must not be dragged along. */
  readonly isDraggable: boolean;
  readonly onChoose: (key: string) => void;
  /** Moves the focus to a tab, without leaving the row. */
  readonly onGo: (key: string) => void;
  readonly onRename: (key: string) => void;
  readonly onClose: (key: string) => void;
}

export function TabRow(props: Props) {
  const { tabs, windowTabs, mayManage, isDraggable, onChoose, onGo, onRename, onClose } = props;
  const [dragged, setDragged] = useState<string | null>(null);
  const pressed = (event: KeyboardEvent, { key }: TabView, index: number) => {
    const act = tabKeyAction(event, index, tabs.length);
    if (act === null) return;
    event.preventDefault();
    const next = act.kind === 'go' ? tabs.at(act.index)?.key : undefined;
    if (next !== undefined) onGo(next);
    else if (act.kind === 'move') windowTabs.moveBy(key, act.step);
    else if (act.kind === 'close' && mayManage) onClose(key);
    else if (act.kind === 'rename' && mayManage) onRename(key);
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
          key={tab.key}
          tab={tab}
          mayManage={mayManage}
          isDraggable={isDraggable}
          isDragged={dragged === tab.key}
          onChoose={() => onChoose(tab.key)}
          onClose={() => onClose(tab.key)}
          onRename={() => onRename(tab.key)}
          onKeyDown={(event) => pressed(event, tab, index)}
          onDragStart={() => setDragged(tab.key)}
          onDragOver={(event) => draggedOver(event, index)}
          onDragEnd={() => setDragged(null)}
        />
      ))}
    </div>
  );
}
