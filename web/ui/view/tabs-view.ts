/** All that the page shows of its terminals, as plain values for rendering. */

import { printable } from '../../../protocol/printable.ts';
import type { Divider } from '../tabs/pane-tree.ts';
import { splitOf } from '../tabs/splits.ts';
import type { Tabs } from '../tabs/tabs.ts';
import type { Side } from '../terminal/touch-selection.ts';
import { roundTripText } from '../text/round-trip-text.ts';
import { type BarTab, barTabs } from './bar-tabs.ts';
import type { CommandTip } from './command-marks.ts';
import type { StickyState } from './sticky-keys.ts';
import { printableSentence, type TabView, type ViewSources } from './tab-view.ts';
import type { Question } from './terminal-input.ts';
import type { TappedLink } from './terminal-views.ts';

export interface TabsView {
  /** The terminals, each with its panel. */
  readonly tabs: readonly TabView[];
  /** What the tab bar shows. */
  readonly bar: readonly BarTab[];
  /** Between the panes of the active tab. */
  readonly dividers: readonly Divider[];
  readonly isZoomed: boolean;
  readonly active: TabView | null;
  readonly isSettled: boolean;
  readonly trouble: string | null;
  readonly mayType: boolean;
  /** Whether the user may create, rename and close sessions. */
  readonly mayManage: boolean;
  /** What was closed last and is still running: the name of a tab, or how many. */
  readonly closed: string | null;
  readonly question: Question | null;
  readonly menu: { readonly x: number; readonly y: number } | null;
  /** The URL of the link under the mouse. */
  readonly link: string | null;
  readonly tapped: TappedLink | null;
  /** What is told of the command whose mark is under the mouse. */
  readonly markTip: CommandTip | null;
  /** The command whose actions are shown. */
  readonly markMenu: CommandTip | null;
  /** The side with room for a bar about the touch selection; null when there is none. */
  readonly touchSelection: Side | null;
  readonly sticky: StickyState;
  readonly notice: string;
  /** The agent counts as online but does not answer. */
  readonly isAgentSilent: boolean;
  readonly roundTrip: string;
}

/** `tabs` are the views of the window's tabs, in their order. */
export function tabsView({ client, windowTabs, views }: ViewSources, tabs: readonly TabView[]): TabsView {
  const active = tabs.find(({ isActive }) => isActive) ?? null;
  return {
    tabs,
    bar: barTabs(windowTabs.list, tabs),
    dividers: windowTabs.panes.arrangement.dividers,
    isZoomed: splitOf(windowTabs.list, windowTabs.list.active)?.isZoomed === true,
    active,
    isSettled: windowTabs.sessions.isSettled,
    trouble: windowTabs.sessions.trouble === null ? null : printableSentence(windowTabs.sessions.trouble),
    mayType: windowTabs.mayType,
    mayManage: windowTabs.mayManage,
    closed: closedText(windowTabs),
    question: views.input.question,
    menu: views.menu,
    link: views.link,
    tapped: views.tapped,
    markTip: views.marks.tip,
    markMenu: views.marks.menu,
    touchSelection: views.active?.touchSelection ?? null,
    sticky: views.input.sticky,
    // The notice does not repeat what the terminal itself already shows.
    notice:
      active?.loss?.sentence === printableSentence(windowTabs.notes.notice)
        ? ''
        : printableSentence(windowTabs.notes.notice),
    isAgentSilent: client.agentVerdict === 'silent',
    roundTrip: roundTripText(client.statistics),
  };
}

function closedText({ closed: { last, lastCount } }: Tabs): string | null {
  if (last === null) return null;
  return lastCount === 1 ? `“${printable(last.tab.name)}”` : `${lastCount} terminals`;
}
