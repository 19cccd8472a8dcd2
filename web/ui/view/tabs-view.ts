/**
 * The tabs as the page shows it: plain values, so that what looks the same is not drawn again. Names and reasons come from
 * other machines and are made printable here.
 */

import type { Unseen } from '../../../client/session-state.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Size } from '../../../protocol/frame.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import type { Tab } from '../tabs/tab-list.ts';
import type { Loss, Tabs } from '../tabs/tabs.ts';
import { isSameSize } from '../terminal/sized-screen.ts';
import type { Side } from '../terminal/touch-selection.ts';
import { roundTripText } from '../text/round-trip-text.ts';
import { unsentText } from '../text/unsent-text.ts';
import type { StickyState } from './sticky-keys.ts';
import { runningText, tabLabel } from './tab-label.ts';
import { coverOf, type TerminalCover } from './terminal-cover.ts';
import type { Question } from './terminal-input.ts';
import type { TappedLink, TerminalViews } from './terminal-views.ts';

export interface TabView extends Tab {
  /** What the tab says; `name` is what it is called. */
  readonly label: string;
  /** What runs in it; empty when a shell waits. */
  readonly running: string;
  readonly isActive: boolean;
  /** What happened there unseen, or how it stands. */
  readonly marker: 'activity' | 'bell' | 'exited' | 'waiting' | null;
  readonly cover: TerminalCover;
  /** What was typed and should have been taken by now, as a person reads it; empty when all is well. */
  readonly late: string;
  /** Who keeps it waiting: the program, which does not read, or the machine; or that is being found out. */
  readonly lateFor: 'program' | 'machine' | 'response';
  /** What was lost here and is not dismissed yet. */
  readonly loss: Loss | null;
  /** The size another window gave the terminal, when that is not what fits here. */
  readonly foreignSize: Size | null;
}

export interface TabsView {
  readonly tabs: readonly TabView[];
  readonly active: TabView | null;
  readonly isSettled: boolean;
  readonly trouble: string | null;
  readonly mayType: boolean;
  /** Name of the tab that can be brought back. */
  readonly closed: string | null;
  readonly question: Question | null;
  readonly menu: { readonly x: number; readonly y: number } | null;
  /** Where the link under the mouse leads. */
  readonly link: string | null;
  readonly tapped: TappedLink | null;
  /** Where a bar for what was selected by touch has room; null when nothing was. */
  readonly touchSelection: Side | null;
  readonly sticky: StickyState;
  readonly notice: string;
  /** The machine counts as online, and does not answer. */
  readonly isAgentSilent: boolean;
  readonly roundTrip: string;
}

export function tabsView(
  client: WorkspaceClient,
  windowTabs: Tabs,
  views: TerminalViews,
  now: Date,
): TabsView {
  const tabs = windowTabs.list.tabs.map((tab) => tabView(tab, client, windowTabs, views, now));
  const active = tabs.find(({ isActive }) => isActive) ?? null;
  return {
    tabs,
    active,
    isSettled: windowTabs.isSettled,
    trouble: windowTabs.trouble === null ? null : sentence(windowTabs.trouble),
    mayType: windowTabs.mayType,
    closed: windowTabs.closed.last === null ? null : printable(windowTabs.closed.last.tab.name),
    question: views.input.question,
    menu: views.menu,
    link: views.link,
    tapped: views.tapped,
    touchSelection: views.active?.touchSelection ?? null,
    sticky: views.input.sticky,
    // What the terminal itself says is not said twice.
    notice: active?.loss?.sentence === sentence(windowTabs.notice) ? '' : sentence(windowTabs.notice),
    isAgentSilent: client.agentVerdict === 'silent',
    roundTrip: roundTripText(client.statistics),
  };
}

function tabView(
  tab: Tab,
  client: WorkspaceClient,
  windowTabs: Tabs,
  views: TerminalViews,
  now: Date,
): TabView {
  const flow = windowTabs.flow(tab.key);
  if (flow === undefined) throw new Error('invariant: every tab has a flow');
  const { session, state } = flow;
  const isActive = windowTabs.list.active === tab.key;
  const unsent = session !== null && session.unsentBytes > 0 ? unsentText(session.unsent()) : '';
  const cover = coverOf(
    {
      client: client.state,
      flow: state.name,
      sentence: 'sentence' in state ? sentence(state.sentence) : '',
      session: session?.state.name ?? null,
      returning: flow.returning,
      unsent,
      discardedBytes: session?.discardedBytes ?? 0,
      mayType: windowTabs.mayType,
    },
    now,
  );
  const name = printable(tab.name);
  const running = state.name === 'attached' ? runningText(session?.description ?? null) : '';
  return {
    ...tab,
    name,
    label: tabLabel(name, running),
    running,
    isActive,
    cover,
    loss: lossView(windowTabs.loss(tab.key)),
    late: cover.kind === 'none' && session?.isLate ? unsent : '',
    lateFor: LATE_FOR[client.agentVerdict],
    marker: markerOf(
      cover,
      state.name === 'ended' || session?.exit != null,
      isActive ? 'nothing' : session?.unseen,
    ),
    foreignSize: foreignSize(session?.state.name === 'live' && !session.isDriver, views, tab.key),
  };
}

const LATE_FOR = { answering: 'program', asked: 'response', silent: 'machine' } as const;

function lossView(loss: Loss | null): Loss | null {
  return loss === null
    ? null
    : { sentence: sentence(loss.sentence), undelivered: printable(loss.undelivered) };
}

/** Reasons of the relay and of the machine. */
function sentence(text: string): string {
  return printable(text, SENTENCE_MAX_CHARS);
}

function markerOf(cover: TerminalCover, isEnded: boolean, unseen: Unseen = 'nothing'): TabView['marker'] {
  if (cover.kind === 'waiting') return 'waiting';
  if (isEnded) return 'exited';
  if (unseen === 'bell') return 'bell';
  return unseen === 'output' ? 'activity' : null;
}

function foreignSize(isForeign: boolean, views: TerminalViews, key: string): Size | null {
  const screen = views.screen(key);
  if (!isForeign || screen === undefined || isSameSize(screen.size, screen.fitted)) return null;
  return screen.size;
}
