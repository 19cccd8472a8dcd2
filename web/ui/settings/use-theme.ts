/** Which theme is in force, following the system where the person leaves it to that. */
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
