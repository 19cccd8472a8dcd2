/**
 * Keys that a phone's keyboard lacks. Ctrl and Alt are sticky: one tap applies them to the next key, a second tap locks
 * them, a third turns them off.
 */
type Stickiness = 'off' | 'once' | 'locked';

export interface StickyState {
  readonly ctrl: Stickiness;
  readonly alt: Stickiness;
}

export const NOTHING_STICKS: StickyState = { ctrl: 'off', alt: 'off' };

const NEXT: Readonly<Record<Stickiness, Stickiness>> = { off: 'once', once: 'locked', locked: 'off' };

export function tapped(state: StickyState, key: 'ctrl' | 'alt'): StickyState {
  return { ...state, [key]: NEXT[state[key]] };
}

/** The state after a key press: a modifier for one key only is used up. */
export function used({ ctrl, alt }: StickyState): StickyState {
  return { ctrl: ctrl === 'once' ? 'off' : ctrl, alt: alt === 'once' ? 'off' : alt };
}

/** `text`, as the keyboard sent it, with the sticky modifiers applied. */
export function withSticky(text: string, { ctrl, alt }: StickyState): string {
  const controlled = ctrl === 'off' ? text : controlOf(text);
  return alt === 'off' ? controlled : `\x1b${controlled}`;
}

/** In longer text (a paste, a suggested word) only the first character is changed, as if it had been typed. */
function controlOf(text: string): string {
  const first = text.charAt(0).toUpperCase();
  const code = first.charCodeAt(0);
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f) + text.slice(1);
  if (first === ' ') return `\x00${text.slice(1)}`;
  return first === '?' ? `\x7f${text.slice(1)}` : text;
}

export type BarKey =
  | 'Escape'
  | 'Tab'
  | 'Left'
  | 'Right'
  | 'Up'
  | 'Down'
  | 'Home'
  | 'End'
  | 'PageUp'
  | 'PageDown';

const LETTERS: Partial<Record<BarKey, string>> = {
  Up: 'A',
  Down: 'B',
  Right: 'C',
  Left: 'D',
  Home: 'H',
  End: 'F',
};

/** The sequence that a key of the bar sends. Programs may ask for cursor keys in their other form (`application`). */
export function barKey(key: BarKey, { ctrl, alt }: StickyState, application: boolean): string {
  if (key === 'Escape') return '\x1b';
  if (key === 'Tab') return alt === 'off' ? '\t' : '\x1b\t';
  const modifier = 1 + (alt === 'off' ? 0 : 2) + (ctrl === 'off' ? 0 : 4);
  if (key === 'PageUp' || key === 'PageDown') {
    const number = key === 'PageUp' ? 5 : 6;
    return modifier === 1 ? `\x1b[${number}~` : `\x1b[${number};${modifier}~`;
  }
  const letter = LETTERS[key] ?? '';
  if (modifier > 1) return `\x1b[1;${modifier}${letter}`;
  return application ? `\x1bO${letter}` : `\x1b[${letter}`;
}
