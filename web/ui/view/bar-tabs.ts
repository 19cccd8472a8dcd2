/** The tabs of the tab bar: one for each terminal, or for the terminals of a split. */
import { groupsOf } from '../tabs/splits.ts';
import type { TabList } from '../tabs/tab-list.ts';
import type { TabView } from './tab-view.ts';

export interface BarTab extends TabView {
  /** Its terminals. */
  readonly panes: readonly string[];
}

/** The most urgent first: what somebody is wanted for, and then what happened. */
const MARKERS: readonly TabView['marker'][] = [
  'asks',
  'failed',
  'done',
  'bell',
  'exited',
  'activity',
  'waiting',
];

/** A tab is named after its active pane. Its mark is the most urgent one of its panes. */
export function barTabs(list: TabList, views: readonly TabView[]): BarTab[] {
  return groupsOf(list).flatMap(({ active, keys }) => {
    const shown = views.find(({ key }) => key === active);
    if (shown === undefined) return [];
    const own = views.filter(({ key }) => keys.includes(key));
    const marked = MARKERS.map((marker) => own.find((view) => view.marker === marker)).find(Boolean);
    return [
      {
        ...shown,
        isActive: own.some(({ isActive }) => isActive),
        marker: marked?.marker ?? null,
        attention: marked?.attention ?? null,
        panes: keys,
      },
    ];
  });
}
