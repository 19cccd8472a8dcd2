/** React hooks for what the page says outside its terminals: notifications while it is hidden, and what was missed. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { type Away, AwayDigest } from './attention/away-digest.ts';
import { notificationPermit, showNotification } from './attention/browser-notifications.ts';
import { LastSeen } from './attention/last-seen.ts';
import { MutedSessions } from './attention/muted-sessions.ts';
import { PageNotifier } from './attention/page-notifier.ts';
import type { SettingsStore } from './settings/settings.ts';
import type { Tabs } from './tabs/tabs.ts';
import type { TabView } from './view/tab-view.ts';

interface NotificationParts {
  readonly settings: SettingsStore;
  readonly windowTabs: Tabs;
  readonly workspace: string;
  readonly tabs: readonly TabView[];
}

/** Shows a notification when a session begins to want attention while the page is hidden. */
export function useNotifications({ settings, windowTabs, workspace, tabs }: NotificationParts): void {
  const notifier = useMemo(() => {
    const muted = new MutedSessions(localStorage, workspace);
    return new PageNotifier({
      mayNotify: (session) =>
        settings.current.notifications && notificationPermit() === 'granted' && !muted.has(session),
      isHidden: () => document.visibilityState === 'hidden',
      show: (notification) => showNotification(workspace, notification),
      open: (key) => windowTabs.activate(key),
    });
  }, [settings, windowTabs, workspace]);
  useEffect(() => () => notifier.stop(), [notifier]);
  useEffect(() => {
    notifier.update(
      tabs.flatMap(({ key, session, name, attention }) =>
        session === null || attention === null ? [] : { key, session, name, attention },
      ),
    );
  }, [notifier, tabs]);
}

/** How often it is noted that somebody sees the page: a crash of the browser says nothing. */
const NOTE_EVERY_MS = 60_000;

/** What happened while nobody saw the page, until it is dismissed. */
export function useAwayDigest(
  client: WorkspaceClient,
  workspace: string,
): { readonly away: Away | null; readonly dismiss: () => void } {
  const digest = useMemo(() => {
    const seen = new LastSeen(localStorage, workspace);
    return new AwayDigest({ client, seen, now: () => new Date() });
  }, [client, workspace]);
  useEffect(() => {
    const listening = new AbortController();
    const isVisible = () => document.visibilityState === 'visible';
    const look = () => (isVisible() ? digest.returned() : digest.noteSeen());
    const note = () => isVisible() && digest.noteSeen();
    // Before the terminals are shown again, because looking at a session clears its attention.
    document.addEventListener('visibilitychange', look, { signal: listening.signal, capture: true });
    addEventListener('pagehide', note, { signal: listening.signal });
    const timer = setInterval(note, NOTE_EVERY_MS);
    const stop = digest.start();
    if (isVisible()) digest.returned();
    return () => {
      listening.abort();
      clearInterval(timer);
      stop();
    };
  }, [digest]);
  const away = useSyncExternalStore(digest.subscribe, digest.current);
  return { away, dismiss: () => digest.dismiss() };
}
