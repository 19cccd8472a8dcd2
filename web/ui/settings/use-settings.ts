import { useCallback, useSyncExternalStore } from 'react';
import type { Settings, SettingsStore } from './settings.ts';

/** The person's choices, as they change. */
export function useSettings(store: SettingsStore): Settings {
  const subscribe = useCallback((changed: () => void) => store.onChange(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.current);
}
