/** What keys with modifiers send by xterm's modifyOtherKeys: `CSI 27 ; modifiers ; character ~`. */

import {
  isCharacter,
  type KeyEvent,
  MODIFIER,
  modifiersOf,
  type OptionKey,
  plainKey,
  shiftedKey,
  textOf,
} from './key-event.ts';
import type { OtherKeysLevel } from './key-modes.ts';

const CODES: Readonly<Record<string, number>> = { Enter: 13, Tab: 9, Backspace: 127, Escape: 27 };

/** Undefined: what the key always sends. */
export function encodeOtherKey(
  event: KeyEvent,
  level: OtherKeysLevel,
  option: OptionKey,
): string | undefined {
  const modifiers = modifiersOf(event, option);
  if (level === 0 || modifiers === 0 || (modifiers & MODIFIER.super) !== 0) return undefined;
  const code = isCharacter(event.key) ? characterOf(event, option).codePointAt(0) : CODES[event.key];
  if (code === undefined || textOf(event, option) !== '') return undefined;
  if (level === 1 && hasOwnCode(event, modifiers)) return undefined;
  return `\x1b[27;${modifiers + 1};${code}~`;
}

/** As typed, but CapsLock does not count. */
function characterOf(event: KeyEvent, option: OptionKey): string {
  return event.shiftKey ? shiftedKey(event, option) : plainKey(event, option);
}

/** Keys whose usual bytes programs know: they keep them at level 1. */
function hasOwnCode({ key }: KeyEvent, modifiers: number): boolean {
  // Alt sends an escape before the key.
  if ((modifiers & MODIFIER.ctrl) === 0 && (modifiers & MODIFIER.alt) !== 0) return true;
  if (key === 'Backspace' || key === 'Escape') return true;
  if (key === 'Tab') return modifiers === MODIFIER.shift;
  if (!isCharacter(key)) return false;
  // Control characters. Shift is needed for some of them, but not for letters.
  if (/^[a-z]$/i.test(key)) return (modifiers & MODIFIER.shift) === 0;
  return /^[ /2-8@[-`{-~]$/.test(key);
}
