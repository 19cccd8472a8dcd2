/** The terminals of the active tab, the dividers between them, and all that are hidden. */
import { panesOf } from '../../tabs/pane-tree.ts';
import { splitOf } from '../../tabs/splits.ts';
import type { Tabs } from '../../tabs/tabs.ts';
import type { TabsView } from '../../view/tabs-view.ts';
import type { TerminalViews } from '../../view/terminal-views.ts';
import { TerminalPanel } from '../terminal-panel.tsx';
import { PaneDivider } from './pane-divider.tsx';
import { PaneSwitch } from './pane-switch.tsx';

interface Props {
  readonly view: TabsView;
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
  readonly focusTerminal: () => void;
}

export function PaneArea({ view, windowTabs, views, focusTerminal }: Props) {
  const nameOf = (key: string) => view.tabs.find((tab) => tab.key === key)?.name ?? '';
  const active = view.active?.key ?? '';
  return (
    <div className="pane-area">
      {view.tabs.map((tab) => (
        <TerminalPanel
          key={tab.key}
          tab={tab}
          isPane={splitOf(windowTabs.list, tab.key) !== null}
          windowTabs={windowTabs}
          views={views}
          mayType={view.mayType}
        />
      ))}
      {view.dividers.map((divider) => (
        <PaneDivider
          key={divider.path}
          divider={divider}
          label={`Divider between ${divider.first.map(nameOf).join(', ')} and ${divider.second.map(nameOf).join(', ')}`}
          onMove={(percent) => windowTabs.panes.moveDivider(active, divider.path, percent)}
          onDone={focusTerminal}
        />
      ))}
    </div>
  );
}

/** Above the terminal, where one of several panes is shown. */
export function MaybePaneSwitch({ view, windowTabs, focusTerminal }: Omit<Props, 'views'>) {
  const split = splitOf(windowTabs.list, view.active?.key ?? null);
  if (split === null || view.active === null || view.dividers.length > 0) return null;
  const { key } = view.active;
  const keys = panesOf(split.tree);
  const back = (act: () => void) => () => {
    act();
    focusTerminal();
  };
  return (
    <PaneSwitch
      panes={view.tabs
        .filter((tab) => keys.includes(tab.key))
        .map((tab) => ({ key: tab.key, label: tab.label, isActive: tab.isActive }))}
      onGo={(other) => back(() => windowTabs.activate(other))()}
      onShowAll={windowTabs.panes.isNarrow ? null : back(() => windowTabs.panes.toggleZoom(key))}
    />
  );
}
