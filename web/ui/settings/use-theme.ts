/** React hook for the effective theme, which follows the system if the user has chosen so. */
import { useSyncExternalStore } from 'react';
import type { ThemeName } from './settings.ts';
import { resolvedTheme } from './terminal-theme.ts';

const LIGHT = '(prefers-color-scheme: light)';

export function useTheme(theme: ThemeName): Exclude<ThemeName, 'system'> {
  return resolvedTheme(theme, useMedia(LIGHT));
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}
