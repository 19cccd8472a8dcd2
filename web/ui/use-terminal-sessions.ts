/** React hook for the terminals of a window: loads the tabs on mount, keeps them, and returns what to render. [P16] */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import { Composer } from './composer/composer.ts';
import { DraftMemory, SentTexts } from './composer/stored-texts.ts';
import { commandTimesOf } from './connection/command-times-of.ts';
import { randomId } from './connection/random-id.ts';
import type { SettingsStore } from './settings/settings.ts';
import { TabMemory } from './tabs/tab-memory.ts';
import { Tabs } from './tabs/tabs.ts';
import type { TabsView } from './view/tabs-view.ts';
import { TabsViewStore } from './view/tabs-view-store.ts';
import { TerminalViews } from './view/terminal-views.ts';

/** Windows with room for one pane at a time. Also in the style sheets. */
const NARROW = '(max-width: 480px)';

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
  readonly composer: Composer;
}

export function useTerminalSessions(options: TerminalSessionsOptions): TerminalSessions {
  const { client, clock, mayUseWebgl, settings, workspace } = options;
  const { windowTabs, views, store, composer } = useMemo(() => {
    const memory = new TabMemory(sessionStorage, workspace);
    const closesOnExit = () => settings.current.closeOnExit;
    const windowTabs = new Tabs({ client, memory, clock, newKey: randomId, closesOnExit });
    const tellTheme = (theme: Theme) => client.setTheme(theme);
    const commandTimes = commandTimesOf(client);
    const views = new TerminalViews({ windowTabs, settings, mayUseWebgl, tellTheme, commandTimes });
    windowTabs.panes.setNarrow(matchMedia(NARROW).matches);
    const composer = new Composer({
      draft: new DraftMemory(sessionStorage, workspace),
      sent: new SentTexts(localStorage, workspace),
      send: (text, withEnter, settled) => views.input.compose(text, withEnter, settled),
    });
    return { windowTabs, views, composer, store: new TabsViewStore({ client, windowTabs, views }) };
  }, [client, clock, mayUseWebgl, settings, workspace]);

  useEffect(() => {
    windowTabs.start();
    return () => windowTabs.stop();
  }, [windowTabs]);

  useEffect(() => {
    const narrow = matchMedia(NARROW);
    const changed = () => windowTabs.panes.setNarrow(narrow.matches);
    narrow.addEventListener('change', changed);
    return () => narrow.removeEventListener('change', changed);
  }, [windowTabs]);

  const view = useSyncExternalStore(store.subscribe, store.current);
  return { windowTabs, views, view, composer };
}
