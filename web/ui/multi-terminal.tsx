/** A workspace's terminals as one element: connects, shows them, and says what is happening. */
import { useEffect, useState } from 'react';
import { connectPage, type PageConnection } from './connection/connect.ts';
import { SETTINGS_KEY, SettingsStore } from './settings/settings.ts';
import { Themed } from './settings/themed.tsx';
import { WorkspacePage } from './workspace-page.tsx';

export interface MultiTerminalProps {
  readonly workspace: string;
  /** Where the relay is; by default where the page came from. */
  readonly relay?: string;
  /** For a page on another origin: the token of whoever looks at it. Asked for before every connection. */
  readonly getToken?: () => Promise<string>;
  /** `dom` draws with elements only, which other programs can read. */
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
          onLogOut={connected.logOut && (() => void connected.logOut?.().then(() => location.reload()))}
        />
      )}
    </Themed>
  );
}

/** Shared by every window of this browser: what is chosen in one shows in all. */
function useOwnSettings(): SettingsStore {
  const [store] = useState(() => new SettingsStore(localStorage));
  useEffect(() => {
    const changed = ({ key }: StorageEvent) => key === SETTINGS_KEY && store.reload();
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  }, [store]);
  return store;
}
