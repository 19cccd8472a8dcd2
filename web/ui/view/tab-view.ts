/**
 * One tab as plain values for rendering, so that React does not redraw what looks the same. Names and reasons come from
 * other machines and are made printable here.
 */

import type { Unseen } from '../../../client/session-state.ts';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Size } from '../../../protocol/frame.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import type { Attention } from '../../../protocol/messages/attention.ts';
import type { KeyboardHolder } from '../../../protocol/messages/keyboard-holder.ts';
import type { Person } from '../../../protocol/messages/people.ts';
import type { SessionProgress } from '../../../protocol/messages/session-info.ts';
import { printable } from '../../../protocol/printable.ts';
import type { Area } from '../tabs/pane-tree.ts';
import type { Tab } from '../tabs/tab-list.ts';
import type { Loss } from '../tabs/tab-notes.ts';
import type { Tabs } from '../tabs/tabs.ts';
import { isSameSize } from '../terminal/size/sized-screen.ts';
import { alsoHereText, badgeText, sizedForText } from '../text/people-text.ts';
import { unsentText } from '../text/unsent-text.ts';
import { runningText, tabLabel } from './tab-label.ts';
import { coverOf, type TerminalCover } from './terminal-cover.ts';
import type { TerminalViews } from './terminal-views.ts';

/** Where a view is read from. */
export interface ViewSources {
  readonly client: WorkspaceClient;
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
}

/** Who types in a terminal beside people. */
export interface KeyboardView {
  readonly kind: 'assistant' | 'person';
  /** The assistant's name. */
  readonly name: string;
}

/** A size that another window has set. */
export interface ForeignSize extends Size {
  /** Whose window that is. */
  readonly sizedFor: string;
}

export interface TabView extends Tab {
  /** The text on the tab; `name` is the tab's name. */
  readonly label: string;
  /** The running program; empty when a shell is waiting. */
  readonly running: string;
  /** How far the running program's work is, if it reports that. */
  readonly progress: SessionProgress | null;
  /** Whether it has the keyboard. */
  readonly isActive: boolean;
  /** Where it is on the page, in percent; null while it is hidden. */
  readonly area: Area | null;
  /** What happened in the tab unseen, or its state. */
  readonly marker: Attention['state'] | 'activity' | 'bell' | 'exited' | 'waiting' | null;
  readonly cover: TerminalCover;
  /** Input that the program should have taken by now, as readable text; empty when all is well. */
  readonly late: string;
  /** What delays it: the program does not read, the machine does not answer, or that is still being checked. */
  readonly lateFor: 'program' | 'machine' | 'response';
  /** What was lost here and has not been dismissed yet. */
  readonly loss: Loss | null;
  /** The size another window gave the terminal, when it differs from what fits here. */
  readonly foreignSize: ForeignSize | null;
  /** Who else watches the session; empty texts if nobody does. */
  readonly people: { readonly badge: string; readonly sentence: string };
  /** Why its session wants attention; null while it wants none, or is looked at. */
  readonly attention: Attention | null;
  /** An assistant types here, or waits for the keyboard. */
  readonly keyboard: KeyboardView | null;
}

export function tabView(tab: Tab, { client, windowTabs, views }: ViewSources, now: Date): TabView {
  const flow = windowTabs.flow(tab.key);
  if (flow === undefined) throw new Error('invariant: every tab has a flow');
  const { session, state } = flow;
  const isActive = windowTabs.list.active === tab.key;
  const area = windowTabs.panes.arrangement.areas.get(tab.key) ?? null;
  const unsent = session !== null && session.unsentBytes > 0 ? unsentText(session.unsent()) : '';
  const cover = coverOf(
    {
      client: client.state,
      flow: state.name,
      sentence: 'sentence' in state ? printableSentence(state.sentence) : '',
      session: session?.state.name ?? null,
      returning: flow.returning,
      unsent,
      discardedBytes: session?.discardedBytes ?? 0,
      mayManage: windowTabs.mayManage,
    },
    now,
  );
  const name = printable(tab.name);
  const people = tab.session === null ? [] : client.people.of(tab.session);
  const running = state.name === 'attached' ? runningText(session?.description ?? null) : '';
  const isEnded = state.name === 'ended' || session?.exit != null;
  // The agent learns that somebody looks, and says so, a moment later.
  const attention =
    (area !== null && windowTabs.isPageVisible ? null : session?.description?.attention) ?? null;
  return {
    ...tab,
    name,
    label: tabLabel(name, running),
    running,
    progress: state.name !== 'attached' || isEnded ? null : (session?.description?.progress ?? null),
    isActive,
    area,
    cover,
    loss: lossView(windowTabs.notes.loss(tab.key)),
    late: cover.kind === 'none' && session?.isLate ? unsent : '',
    lateFor: LATE_FOR[client.agentVerdict],
    attention,
    marker: markerOf(cover, { attention, isEnded, unseen: area !== null ? 'nothing' : session?.unseen }),
    keyboard: state.name === 'attached' && !isEnded ? keyboardView(session?.description?.keyboard) : null,
    foreignSize: foreignSize(session?.state.name === 'live' && !session.isDriver, views, tab.key, people),
    people: { badge: badgeText(people), sentence: alsoHereText(people) },
  };
}

const LATE_FOR = { answering: 'program', asked: 'response', silent: 'machine' } as const;

function lossView(loss: Loss | null): Loss | null {
  return loss === null
    ? null
    : { sentence: printableSentence(loss.sentence), undelivered: printable(loss.undelivered) };
}

function keyboardView(keyboard: KeyboardHolder | undefined): KeyboardView | null {
  return keyboard === undefined ? null : { kind: keyboard.kind, name: printable(keyboard.name) };
}

/** Makes reasons from the relay and the agent printable. */
export function printableSentence(text: string): string {
  return printable(text, SENTENCE_MAX_CHARS);
}

interface Marked {
  readonly attention: Attention | null;
  readonly isEnded: boolean;
  readonly unseen: Unseen | undefined;
}

function markerOf(cover: TerminalCover, { attention, isEnded, unseen }: Marked): TabView['marker'] {
  if (cover.kind === 'waiting') return 'waiting';
  if (attention !== null) return attention.state;
  if (isEnded) return 'exited';
  if (unseen === 'bell') return 'bell';
  return unseen === 'output' ? 'activity' : null;
}

function foreignSize(
  isForeign: boolean,
  views: TerminalViews,
  key: string,
  people: readonly Person[],
): ForeignSize | null {
  const screen = views.screen(key);
  if (!isForeign || screen === undefined || isSameSize(screen.size, screen.fitted)) return null;
  return { ...screen.size, sizedFor: sizedForText(people) };
}
