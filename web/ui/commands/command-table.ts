/**
 * Everything that the page can do for a user, once: its name, its keys, and what it means. Keys, menus, the command
 * palette and the list in the settings are all made from this table.
 */
export type PageCommand =
  | {
      readonly kind:
        | 'new'
        | 'new-here'
        | 'duplicate'
        | 'close'
        | 'close-others'
        | 'close-tab'
        | 'zoom-pane'
        | 'to-divider'
        | 'reopen'
        | 'rename'
        | 'find'
        | 'copy'
        | 'paste'
        | 'select-all'
        | 'clear'
        | 'palette'
        | 'sessions'
        | 'compose'
        | 'share'
        | 'device'
        | 'settings'
        | 'to-tabs'
        | 'to-terminal';
    }
  | { readonly kind: 'split'; readonly direction: 'row' | 'column' }
  | { readonly kind: 'pane'; readonly step: 1 | -1 }
  | { readonly kind: 'switch'; readonly step: 1 | -1 }
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'move'; readonly step: 1 | -1 }
  | { readonly kind: 'zoom'; readonly step: 1 | -1 | 0 }
  | { readonly kind: 'prompt'; readonly step: 1 | -1 };

export interface CommandEntry {
  /** Stays the same from version to version: a browser remembers the commands used last. */
  readonly id: string;
  readonly title: string;
  /** In the menu of a tab or terminal, which says what it is about. */
  readonly short?: string;
  readonly command: PageCommand;
  /** As people read them. */
  readonly keys?: string;
  /** Position of the key that, with Alt and Shift, is the command. */
  readonly code?: string;
  /** Position of the key that, with Ctrl and Shift, is the command. */
  readonly ctrlCode?: string;
}

/** With Alt and Shift: few programs and browsers use them together. */
const alt = (code: string, key: string) => ({ code, keys: `Alt+Shift+${key}` });

const ABOUT_TERMINALS: readonly CommandEntry[] = [
  { id: 'new', title: 'New terminal', command: { kind: 'new' }, ...alt('KeyN', 'N') },
  { id: 'new-here', title: 'New terminal here', command: { kind: 'new-here' }, ...alt('KeyH', 'H') },
  { id: 'duplicate', title: 'Duplicate terminal', short: 'Duplicate', command: { kind: 'duplicate' } },
  { id: 'close', title: 'Close terminal', command: { kind: 'close' }, ...alt('KeyW', 'W') },
  {
    id: 'close-others',
    title: 'Close other terminals',
    short: 'Close others',
    command: { kind: 'close-others' },
  },
  { id: 'reopen', title: 'Reopen closed terminal', command: { kind: 'reopen' }, ...alt('KeyZ', 'Z') },
  {
    id: 'previous',
    title: 'Previous terminal',
    command: { kind: 'switch', step: -1 },
    ...alt('ArrowLeft', '←'),
  },
  { id: 'next', title: 'Next terminal', command: { kind: 'switch', step: 1 }, ...alt('ArrowRight', '→') },
  {
    id: 'move-left',
    title: 'Move tab left',
    short: 'Move left',
    command: { kind: 'move', step: -1 },
    ...alt('PageUp', 'PageUp'),
  },
  {
    id: 'move-right',
    title: 'Move tab right',
    short: 'Move right',
    command: { kind: 'move', step: 1 },
    ...alt('PageDown', 'PageDown'),
  },
  {
    id: 'rename',
    title: 'Rename terminal',
    short: 'Rename',
    command: { kind: 'rename' },
    ...alt('KeyR', 'R'),
  },
];

const ABOUT_PANES: readonly CommandEntry[] = [
  {
    id: 'split-right',
    title: 'Split right',
    command: { kind: 'split', direction: 'row' },
    ...alt('KeyD', 'D'),
  },
  {
    id: 'split-down',
    title: 'Split down',
    command: { kind: 'split', direction: 'column' },
    ...alt('KeyE', 'E'),
  },
  { id: 'next-pane', title: 'Next pane', command: { kind: 'pane', step: 1 }, ...alt('KeyJ', 'J') },
  { id: 'previous-pane', title: 'Previous pane', command: { kind: 'pane', step: -1 }, ...alt('KeyK', 'K') },
  { id: 'zoom-pane', title: 'Zoom pane, or show all', command: { kind: 'zoom-pane' }, ...alt('KeyX', 'X') },
  {
    id: 'to-divider',
    title: 'Resize panes with arrow keys',
    command: { kind: 'to-divider' },
    ...alt('KeyL', 'L'),
  },
  { id: 'close-tab', title: 'Close all panes of the tab', command: { kind: 'close-tab' } },
];

const ABOUT_TEXT: readonly CommandEntry[] = [
  { id: 'copy', title: 'Copy', command: { kind: 'copy' }, keys: 'Ctrl+Shift+C' },
  { id: 'paste', title: 'Paste', command: { kind: 'paste' }, keys: 'Ctrl+Shift+V' },
  { id: 'compose', title: 'Compose text', command: { kind: 'compose' }, ...alt('KeyO', 'O') },
  { id: 'select-all', title: 'Select all', command: { kind: 'select-all' } },
  { id: 'find', title: 'Find', command: { kind: 'find' }, keys: 'Ctrl+Shift+F', ctrlCode: 'KeyF' },
  { id: 'clear', title: 'Clear scrollback in this window', command: { kind: 'clear' } },
  {
    id: 'previous-prompt',
    title: 'Previous prompt',
    command: { kind: 'prompt', step: -1 },
    keys: 'Ctrl+Shift+↑ (Mac: Cmd+Shift+↑)',
  },
  {
    id: 'next-prompt',
    title: 'Next prompt',
    command: { kind: 'prompt', step: 1 },
    keys: 'Ctrl+Shift+↓ (Mac: Cmd+Shift+↓)',
  },
];

const ABOUT_THE_PAGE: readonly CommandEntry[] = [
  {
    id: 'palette',
    title: 'Command palette',
    command: { kind: 'palette' },
    // Firefox keeps Ctrl+Shift+P for its private windows.
    keys: 'Ctrl+Shift+P, Alt+Shift+P',
    ctrlCode: 'KeyP',
    code: 'KeyP',
  },
  { id: 'sessions', title: 'Sessions', command: { kind: 'sessions' }, ...alt('KeyS', 'S') },
  { id: 'share', title: 'Share…', command: { kind: 'share' } },
  { id: 'device', title: 'Continue on another device', command: { kind: 'device' } },
  { id: 'settings', title: 'Settings', command: { kind: 'settings' }, ...alt('Comma', ',') },
  { id: 'larger', title: 'Larger text', command: { kind: 'zoom', step: 1 }, ...alt('Equal', '+') },
  { id: 'smaller', title: 'Smaller text', command: { kind: 'zoom', step: -1 }, ...alt('Minus', '−') },
  { id: 'text-size', title: 'Reset text size', command: { kind: 'zoom', step: 0 }, ...alt('Digit0', '0') },
  { id: 'to-tabs', title: 'Focus tab', command: { kind: 'to-tabs' }, ...alt('ArrowUp', '↑') },
  {
    id: 'to-terminal',
    title: 'Focus terminal',
    command: { kind: 'to-terminal' },
    ...alt('ArrowDown', '↓'),
  },
];

export const COMMANDS: readonly CommandEntry[] = [
  ...ABOUT_TERMINALS,
  ...ABOUT_PANES,
  ...ABOUT_TEXT,
  ...ABOUT_THE_PAGE,
];

/** What the mouse and keys with a number do, for the list of keys. */
export const OTHER_KEYS = [
  { keys: 'Alt+Shift+1 … 9', title: 'Go to terminal 1 … 9' },
  { keys: 'Shift+F10', title: 'Menu of a focused tab' },
  { keys: 'Ctrl+click', title: 'Open link' },
] as const;

export function entryOf(id: string): CommandEntry {
  const entry = COMMANDS.find((known) => known.id === id);
  if (entry === undefined) throw new Error(`invariant: there is a command ${id}`);
  return entry;
}
