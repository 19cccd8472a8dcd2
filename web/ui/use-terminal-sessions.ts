/** React hook for the terminals of a window: loads the tabs on mount, keeps them, and returns what to render. [P16] */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { randomId } from './connection/random-id.ts';
import type { SettingsStore } from './settings/settings.ts';
import { TabMemory } from './tabs/tab-memory.ts';
import { Tabs } from './tabs/tabs.ts';
import { type TabsView, tabsView } from './view/tabs-view.ts';
import { TerminalViews } from './view/terminal-views.ts';

export interface TerminalSessionsOptions {
  readonly client: WorkspaceClient;
  readonly workspace: string;
  readonly clock: Clock;
  readonly settings: SettingsStore;
  /** False uses xterm's DOM renderer only, whose text a test or a screen reader can read. */
  readonly mayUseWebgl: boolean;
}

export interface TerminalSessions {
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
  readonly view: TabsView;
}

export function useTerminalSessions(options: TerminalSessionsOptions): TerminalSessions {
  const { client, clock, mayUseWebgl, settings, workspace } = options;
  const { windowTabs, views } = useMemo(() => {
    const memory = new TabMemory(sessionStorage, workspace);
    const closesOnExit = () => settings.current.closeOnExit;
    const windowTabs = new Tabs({ client, memory, clock, newKey: randomId, closesOnExit });
    return {
      windowTabs,
      views: new TerminalViews({
        windowTabs,
        settings,
        mayUseWebgl,
        tellTheme: (theme) => client.setTheme(theme),
      }),
    };
  }, [client, clock, mayUseWebgl, settings, workspace]);

  useEffect(() => {
    windowTabs.start();
    return () => windowTabs.stop();
  }, [windowTabs]);

  const last = useRef<{ readonly text: string; readonly view: TabsView }>(null);
  const subscribe = useMemo(
    () => (changed: () => void) => {
      const stops = [windowTabs.onChange(changed), views.onChange(changed)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [windowTabs, views],
  );
  const view = useSyncExternalStore(subscribe, () => {
    const next = tabsView(client, windowTabs, views, new Date());
    // The client reports a change for every acknowledged key; an unchanged view is not rendered again.
    const text = JSON.stringify(next);
    if (last.current?.text !== text) last.current = { text, view: next };
    return last.current.view;
  });
  return { windowTabs, views, view };
}
