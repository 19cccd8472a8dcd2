/**
 * The keyboard shortcuts of the page. Browsers reserve Ctrl+T, Ctrl+W, Ctrl+Tab and most of their kind, and shells use
 * Ctrl and Alt with letters. That leaves Alt and Shift together, and a few of Ctrl and Shift.
 */
export type PageCommand =
  | {
      readonly kind:
        | 'new'
        | 'new-here'
        | 'close'
        | 'rename'
        | 'find'
        | 'sessions'
        | 'settings'
        | 'undo'
        | 'compose';
    }
  | { readonly kind: 'switch'; readonly step: 1 | -1 }
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'move'; readonly step: 1 | -1 }
  | { readonly kind: 'zoom'; readonly step: 1 | -1 | 0 }
  | { readonly kind: 'prompt'; readonly step: 1 | -1 }
  | { readonly kind: 'to-tabs' | 'to-terminal' };

interface Pressed {
  readonly code: string;
  /** The character that the key types. */
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

interface Shortcut {
  readonly code: string;
  readonly keys: string;
  readonly does: string;
  readonly command: PageCommand;
}

const shortcut = (code: string, key: string, does: string, command: PageCommand): Shortcut => ({
  code,
  keys: `Alt+Shift+${key}`,
  does,
  command,
});

/**
 * Matched by the key's position (`code`), because with Alt and Shift the typed character differs between keyboard
 * layouts.
 */
export const SHORTCUTS: readonly Shortcut[] = [
  shortcut('KeyN', 'N', 'New terminal', { kind: 'new' }),
  shortcut('KeyH', 'H', 'New terminal here', { kind: 'new-here' }),
  shortcut('KeyW', 'W', 'Close terminal', { kind: 'close' }),
  shortcut('KeyZ', 'Z', 'Reopen closed terminal', { kind: 'undo' }),
  shortcut('ArrowLeft', '←', 'Previous terminal', { kind: 'switch', step: -1 }),
  shortcut('ArrowRight', '→', 'Next terminal', { kind: 'switch', step: 1 }),
  shortcut('PageUp', 'PageUp', 'Move tab left', { kind: 'move', step: -1 }),
  shortcut('PageDown', 'PageDown', 'Move tab right', { kind: 'move', step: 1 }),
  shortcut('KeyR', 'R', 'Rename terminal', { kind: 'rename' }),
  shortcut('KeyE', 'E', 'Compose text', { kind: 'compose' }),
  shortcut('KeyS', 'S', 'Sessions', { kind: 'sessions' }),
  shortcut('Comma', ',', 'Settings', { kind: 'settings' }),
  shortcut('Equal', '+', 'Larger text', { kind: 'zoom', step: 1 }),
  shortcut('Minus', '−', 'Smaller text', { kind: 'zoom', step: -1 }),
  shortcut('Digit0', '0', 'Reset text size', { kind: 'zoom', step: 0 }),
  shortcut('ArrowUp', '↑', 'Focus tab', { kind: 'to-tabs' }),
  shortcut('ArrowDown', '↓', 'Focus terminal', { kind: 'to-terminal' }),
];

/** Shortcuts that are listed in the dialog but not in the table above. */
export const MORE_SHORTCUTS = [
  { keys: 'Alt+Shift+1 … 9', does: 'Go to terminal 1 … 9' },
  { keys: 'Ctrl+Shift+F', does: 'Find' },
  { keys: 'Ctrl+Shift+↑, ↓ (Mac: Cmd)', does: 'Previous, next prompt' },
  { keys: 'Ctrl+Shift+C', does: 'Copy' },
  { keys: 'Ctrl+Shift+V', does: 'Paste' },
  { keys: 'Ctrl+click', does: 'Open link' },
] as const;

const PROMPT_STEPS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1 };

const ASCII_SYMBOL = /^[!-/:-@[-`{-~]$/;

/**
 * `optionComposes`: a Mac on which Option with Shift types characters. Some have no other key, such as `\` on a German
 * keyboard and `[` on a French one. Shells need them, so they are typed.
 */
export function commandOf(pressed: Pressed, optionComposes: boolean): PageCommand | null {
  const { code, key, altKey, ctrlKey, metaKey, shiftKey } = pressed;
  if (!shiftKey) return null;
  const step = PROMPT_STEPS[code];
  // With Command on a Mac, whose Ctrl+↑ shows all windows.
  if (step !== undefined && !altKey && ctrlKey !== metaKey) return { kind: 'prompt', step };
  if (metaKey) return null;
  if (ctrlKey && !altKey) return code === 'KeyF' ? { kind: 'find' } : null;
  if (!altKey || ctrlKey || (optionComposes && ASCII_SYMBOL.test(key))) return null;
  const digit = /^Digit([1-9])$/.exec(code)?.[1];
  if (digit !== undefined) return { kind: 'go', index: Number(digit) - 1 };
  return SHORTCUTS.find((known) => known.code === code)?.command ?? null;
}
