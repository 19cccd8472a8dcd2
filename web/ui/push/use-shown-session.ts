/**
 * Shows the session that a notification is about: the one named in the page's address, when a click opened the page, and
 * the one that the service worker names, when a click came back to it.
 */
import { useEffect } from 'react';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { readShowSession } from './notification.ts';

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
  /** Whether the page knows its tabs. Before that, one more would be taken for all of them. */
  readonly isSettled: boolean;
  /** Shows it in a tab. Must stay the same function. */
  readonly open: (session: SessionInfo) => void;
}

export function useShownSession({ client, isSettled, open }: ShownSession): void {
  useEffect(() => {
    if (!isSettled) return;
    const show = async (id: string) => {
      const sessions = await client.list().catch(() => []);
      const session = sessions.find((one) => one.id === id);
      if (session !== undefined) open(session);
    };
    const asked = takeAsked();
    if (asked !== null) void show(asked);
    const heard = ({ data }: MessageEvent) => {
      const message = readShowSession(data);
      if (message !== null) void show(message.session);
    };
    navigator.serviceWorker?.addEventListener('message', heard);
    return () => navigator.serviceWorker?.removeEventListener('message', heard);
  }, [client, isSettled, open]);
}
