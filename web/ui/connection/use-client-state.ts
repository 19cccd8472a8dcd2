import { useCallback, useSyncExternalStore } from 'react';
import type { ClientState, WorkspaceClient } from '../../../client/workspace-client.ts';

/** React hook for the state of the connection. */
export function useClientState(client: WorkspaceClient): ClientState {
  const subscribe = useCallback(
    (changed: () => void) => client.onChange(({ of }) => of === 'connection' && changed()),
    [client],
  );
  return useSyncExternalStore(subscribe, () => client.state);
}
