/** What becomes of each tab once the page knows which sessions there are. [P17] */
import { LAYOUT_MAX_TABS } from '../../../protocol/limits.ts';
import type { EndReason, Layout, SessionInfo } from '../../../protocol/messages.ts';
import { type Tab, type TabList, tabList } from './tab-list.ts';

export type Plan =
  | { readonly kind: 'reattach'; readonly info: SessionInfo }
  /** A fresh shell in the place of `replaces`: whoever asks for the same place gets the same shell. */
  | {
      readonly kind: 'create';
      readonly replaces: string;
      /** The rule that ended it, null when none did; absent when that is still to be found out. */
      readonly endedBy?: EndReason | null;
    };

/** What to do for a tab; null when there is nothing that it could show. */
export function planFor(tab: Tab, sessions: readonly SessionInfo[], mayCreate: boolean): Plan | null {
  const info = sessions.find(({ id }) => id === tab.session);
  if (info?.status === 'running') return { kind: 'reattach', info };
  const endedBy = info?.endedBy ?? null;
  if (mayCreate) return { kind: 'create', replaces: tab.session ?? tab.key, endedBy };
  // Who may only watch gets no fresh shell, but can read what an old one left; what a rule has ended left nothing.
  return info?.status === 'exited' && endedBy === null ? { kind: 'reattach', info } : null;
}

/** For a tab that is brought back: one whose program ended by itself shows what it left. */
export function reopenPlan(tab: Tab, sessions: readonly SessionInfo[]): Plan | null {
  const info = sessions.find(({ id }) => id === tab.session);
  return info?.status === 'exited' && info.endedBy === undefined ? { kind: 'reattach', info } : null;
}

/**
 * The tabs of a browser that has none: those some browser of this workspace had last, in their order, then every
 * other session that runs. A session that ended by itself, by a rule, or with its agent, keeps its place and name for
 * a fresh shell; one that somebody closed is not in the list any more and does not come back.
 */
export function hydrate(
  sessions: readonly SessionInfo[],
  layout: Layout | null,
  newKey: () => string,
): TabList {
  const running = sessions.filter(({ status }) => status === 'running');
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const placed = (layout?.tabs ?? []).filter(({ session }) => byId.has(session));
  const placedIds = new Set(placed.map(({ session }) => session));
  const found = [
    ...placed.map(({ session, name }) => ({ session, name: byId.get(session)?.name ?? name })),
    ...running.filter(({ id }) => !placedIds.has(id)).map(({ id, name }) => ({ session: id, name })),
  ];
  const tabs = found.slice(0, LAYOUT_MAX_TABS).map((tab) => ({ key: newKey(), ...tab }));
  const active = tabs.find(({ session }) => session === layout?.active)?.key ?? null;
  return tabList(tabs, active);
}

/** What other browsers start from. */
export function layoutOf({ tabs, active }: TabList): Layout {
  const bound = tabs.flatMap(({ session, name, key }) => (session === null ? [] : [{ session, name, key }]));
  return {
    tabs: bound.slice(0, LAYOUT_MAX_TABS).map(({ session, name }) => ({ session, name })),
    active: bound.find(({ key }) => key === active)?.session ?? null,
  };
}
