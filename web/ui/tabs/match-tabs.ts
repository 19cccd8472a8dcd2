/** Decides what happens to each tab once the page knows which sessions exist. [P17] */
import { LAYOUT_MAX_TABS } from '../../../protocol/limits.ts';
import type { Layout, LayoutPanes } from '../../../protocol/messages/message-parts.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import { mapped, type PaneTree, panesOf } from './pane-tree.ts';
import type { Split } from './tab.ts';
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
  const keyOf = (session: string) => tabs.find((tab) => tab.session === session)?.key ?? null;
  const splits = (layout?.splits ?? []).flatMap((split): Split[] => {
    const tree = treeOf(split.panes, keyOf);
    const active = keyOf(split.active) ?? '';
    return tree === null ? [] : [{ tree, active, isZoomed: split.zoomed === true }];
  });
  return tabList(tabs, layout?.active == null ? null : keyOf(layout.active), splits);
}

/** The panes whose sessions have tabs; the others leave their room to these. */
function treeOf(panes: LayoutPanes, keyOf: (session: string) => string | null): PaneTree | null {
  if ('session' in panes) return keyOf(panes.session);
  const first = treeOf(panes.first, keyOf);
  const second = treeOf(panes.second, keyOf);
  if (first === null || second === null) return first ?? second;
  return { direction: panes.direction, percent: panes.percent, first, second };
}

/** The layout from which other browsers start. */
export function layoutOf({ tabs, active, splits = [] }: TabList): Layout {
  const bound = tabs
    .flatMap(({ session, name, key }) => (session === null ? [] : [{ session, name, key }]))
    .slice(0, LAYOUT_MAX_TABS);
  const sessionOf = (key: string | null) => bound.find((tab) => tab.key === key)?.session ?? null;
  return {
    tabs: bound.map(({ session, name }) => ({ session, name })),
    active: sessionOf(active),
    // Also when there are none: a page that says nothing about splits knows none, and theirs are kept.
    splits: splits.flatMap(({ active, isZoomed, tree }) => {
      const panes = mapped(tree, sessionOf);
      if (panes === null || typeof panes === 'string') return [];
      const shown = sessionOf(active) ?? panesOf(panes)[0] ?? '';
      return [{ panes: layoutPanes(panes), active: shown, ...(isZoomed ? { zoomed: true } : {}) }];
    }),
  };
}

/** `tree` has sessions instead of keys. */
function layoutPanes(tree: PaneTree): LayoutPanes {
  if (typeof tree === 'string') return { session: tree };
  return { ...tree, first: layoutPanes(tree.first), second: layoutPanes(tree.second) };
}
