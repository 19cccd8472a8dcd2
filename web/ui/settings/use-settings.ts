import { useCallback, useSyncExternalStore } from 'react';
import type { Settings, SettingsStore } from './settings.ts';

/** React hook for the user's settings. */
export function useSettings(store: SettingsStore): Settings {
  const subscribe = useCallback((changed: () => void) => store.onChange(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.current);
}
