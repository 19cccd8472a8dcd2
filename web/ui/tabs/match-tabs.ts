/** Decides what happens to each tab once the page knows which sessions exist. [P17] */
import { LAYOUT_MAX_TABS } from '../../../protocol/limits.ts';
import type { Layout } from '../../../protocol/messages/message-parts.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import { type Tab, type TabList, tabList } from './tab-list.ts';

export type Plan =
  | { readonly kind: 'reattach'; readonly info: SessionInfo }
  /** Create a new shell in the place of `replaces`. Everyone who replaces the same session gets the same new shell. */
  | {
      readonly kind: 'create';
      readonly replaces: string;
      /** The rule that ended the old session, null when none did, absent when it has yet to be looked up. */
      readonly endedBy?: EndReason | null;
      /** Where the shell starts; absent: where the agent starts shells. */
      readonly cwd?: string;
    };

/** The plan for a tab; null when there is nothing it could show. */
export function planFor(tab: Tab, sessions: readonly SessionInfo[], mayCreate: boolean): Plan | null {
  const info = sessions.find(({ id }) => id === tab.session);
  if (info?.status === 'running') return { kind: 'reattach', info };
  const endedBy = info?.endedBy ?? null;
  if (mayCreate) return { kind: 'create', replaces: tab.session ?? tab.key, endedBy };
  // A viewer cannot create a shell, but can read the output of one that exited. A session ended by a rule left no
  // output.
  return info?.status === 'exited' && endedBy === null ? { kind: 'reattach', info } : null;
}

/** The plan for a reopened tab: a program that exited by itself still shows its output. */
export function reopenPlan(tab: Tab, sessions: readonly SessionInfo[]): Plan | null {
  const info = sessions.find(({ id }) => id === tab.session);
  return info?.status === 'exited' && info.endedBy === undefined ? { kind: 'reattach', info } : null;
}

/**
 * The tabs for a browser that has none: first those that were saved last for this workspace, in their order, then every
 * other running session. A session that exited by itself, was ended by a rule or was lost with its agent keeps its
 * place and name for a new shell. A session that somebody closed is no longer in the list and does not come back.
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

/** The layout from which other browsers start. */
export function layoutOf({ tabs, active }: TabList): Layout {
  const bound = tabs.flatMap(({ session, name, key }) => (session === null ? [] : [{ session, name, key }]));
  return {
    tabs: bound.slice(0, LAYOUT_MAX_TABS).map(({ session, name }) => ({ session, name })),
    active: bound.find(({ key }) => key === active)?.session ?? null,
  };
}
