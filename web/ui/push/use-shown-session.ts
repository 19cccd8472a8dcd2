/**
 * Shows the session that a notification is about: the one named in the page's address, when a click opened the page, and
 * the one that the service worker names, when a click came back to it.
 */
import { useEffect, useState } from 'react';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { readShowSession } from './notification.ts';
import { WantedSession } from './wanted-session.ts';

/** Takes the session out of the address: a reload shows what was active last. */
function takeAsked(): string | null {
  const url = new URL(location.href);
  const session = url.searchParams.get('session');
  if (session === null) return null;
  url.searchParams.delete('session');
  history.replaceState(history.state, '', url.pathname + url.search);
  return session;
}

interface ShownSession {
  readonly client: WorkspaceClient;
  /** Whether the page is connected and knows its tabs. Before that, one more would be taken for all of them. */
  readonly isReady: boolean;
  /** Shows it in a tab. Must stay the same function. */
  readonly open: (session: SessionInfo) => void;
}

export function useShownSession({ client, isReady, open }: ShownSession): void {
  const [wanted] = useState(() => new WantedSession());
  useEffect(() => {
    const show = () => {
      if (isReady) void wanted.show({ list: () => client.list(), open });
    };
    const asked = isReady ? takeAsked() : null;
    if (asked !== null) wanted.want(asked);
    show();
    // Also while the page is not ready: a phone that wakes up is clicked on before it is connected again.
    const heard = ({ data }: MessageEvent) => {
      const message = readShowSession(data);
      if (message === null) return;
      wanted.want(message.session);
      show();
    };
    navigator.serviceWorker?.addEventListener('message', heard);
    return () => navigator.serviceWorker?.removeEventListener('message', heard);
  }, [client, isReady, open, wanted]);
}
