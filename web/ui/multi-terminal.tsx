/** All terminals of a workspace as one React component: it connects, shows them and reports the connection's state. */
import { useEffect, useState } from 'react';
import { connectPage, type PageConnection } from './connection/connect.ts';
import { SETTINGS_KEY, SettingsStore } from './settings/settings.ts';
import { Themed } from './settings/themed.tsx';
import { WorkspacePage } from './workspace-page.tsx';

export interface MultiTerminalProps {
  readonly workspace: string;
  /** URL of the relay; by default the page's own origin. */
  readonly relay?: string;
  /** For a page on another origin: returns the token of the current user. Called before every connection. */
  readonly getToken?: () => Promise<string>;
  /** `dom` uses xterm's DOM renderer only, whose text other programs can read. */
  readonly renderer?: 'auto' | 'dom';
}

export function MultiTerminal({ workspace, relay, getToken, renderer = 'auto' }: MultiTerminalProps) {
  const settings = useOwnSettings();
  const [connected, setConnected] = useState<PageConnection | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a function that is made anew is no other person
  useEffect(() => {
    const made = connectPage({ workspace, relay: new URL(relay ?? '/', location.href), getToken });
    setConnected(made);
    return () => made.leave();
  }, [workspace, relay]);
  return (
    <Themed settings={settings}>
      {connected !== null && (
        <WorkspacePage
          client={connected.client}
          clock={connected.clock}
          settings={settings}
          workspace={workspace}
          mayUseWebgl={renderer === 'auto'}
          signIn={connected.signIn}
          push={connected.push}
          onLogOut={connected.logOut && (() => void connected.logOut?.().then(() => location.reload()))}
        />
      )}
    </Themed>
  );
}

/** The settings, shared by every window of this browser: a change in one applies to all. */
function useOwnSettings(): SettingsStore {
  const [store] = useState(() => new SettingsStore(localStorage));
  useEffect(() => {
    const changed = ({ key }: StorageEvent) => key === SETTINGS_KEY && store.reload();
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  }, [store]);
  return store;
}
