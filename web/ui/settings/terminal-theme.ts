/** The terminal's look, read from tokens.css so that every colour is defined in one place. */

import type { Look } from '../terminal/look.ts';
import type { FontName, Settings, ThemeName } from './settings.ts';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The fonts that each choice asks for. A font that the machine lacks falls back to the system's own. */
const FAMILIES: Readonly<Record<FontName, string>> = {
  system: '',
  dejavu: '"DejaVu Sans Mono", ',
  courier: '"Courier New", "Liberation Mono", ',
  menlo: 'Menlo, Consolas, ',
};

/** The theme that `system` stands for. */
export function resolvedTheme(theme: ThemeName, prefersLight: boolean): Exclude<ThemeName, 'system'> {
  if (theme !== 'system') return theme;
  return prefersLight ? 'light' : 'dark';
}

/** `place` is an element with the theme on it or on an ancestor. */
export function terminalLook(place: Element, settings: Settings): Look {
  const style = getComputedStyle(place);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const theme: Record<string, string> = {
    background: token('terminal-background'),
    foreground: token('terminal-foreground'),
    cursor: token('terminal-cursor'),
    cursorAccent: token('terminal-background'),
    selectionBackground: token('terminal-selection'),
    scrollbarSliderBackground: token('terminal-scrollbar'),
    scrollbarSliderHoverBackground: token('terminal-scrollbar-active'),
    scrollbarSliderActiveBackground: token('terminal-scrollbar-active'),
  };
  for (const colour of COLOURS) {
    theme[colour] = token(`ansi-${colour}`);
    theme[`bright${colour.charAt(0).toUpperCase()}${colour.slice(1)}`] = token(`ansi-bright-${colour}`);
  }
  return {
    fontFamily: FAMILIES[settings.font] + token('font-mono'),
    fontSize: settings.fontSize ?? Number.parseFloat(token('terminal-font-size')),
    theme,
    minimumContrastRatio: Number.parseFloat(token('terminal-contrast')) || 1,
    cursorBlink: settings.cursorBlink,
    screenReaderMode: settings.screenReader,
    macOptionIsMeta: settings.optionIsMeta,
    find: { match: token('find-match'), active: token('find-active') },
  };
}

/**
 * Calls `changed` when the theme around `place` changes, or the window becomes narrow or wide. It observes the element
 * from which the colours are read, so a theme counts once it is applied there, whoever chose it.
 */
export function onLookChange(place: Element, changed: () => void): () => void {
  const listening = new AbortController();
  matchMedia('(max-width: 480px)').addEventListener('change', changed, { signal: listening.signal });
  const themes = new MutationObserver(changed);
  const themed = place.closest('[data-theme]');
  if (themed !== null) themes.observe(themed, { attributeFilter: ['data-theme'] });
  return () => {
    listening.abort();
    themes.disconnect();
  };
}
