/** Key events as browsers report them, written as a person would: `ctrl+shift+a`. */
import type { KeyEvent } from '../../../../protocol/terminal/keyboard/key-event.ts';

const US_SYMBOLS: Readonly<Record<string, readonly [code: string, shifted: string]>> = {
  '/': ['Slash', '?'],
  ';': ['Semicolon', ':'],
  '-': ['Minus', '_'],
  '=': ['Equal', '+'],
  '[': ['BracketLeft', '{'],
  ']': ['BracketRight', '}'],
  ' ': ['Space', ' '],
};
const SHIFTED_DIGITS = ')!@#$%^&*(';

/** The key of a US keyboard: what it types without and with Shift, and its place. */
function usKey(name: string): { key: string; shifted: string; code: string; keyCode: number } {
  if (/^[a-z]$/.test(name)) {
    const upper = name.toUpperCase();
    return { key: name, shifted: upper, code: `Key${upper}`, keyCode: upper.charCodeAt(0) };
  }
  if (/^\d$/.test(name)) {
    const shifted = SHIFTED_DIGITS.charAt(Number(name));
    return { key: name, shifted, code: `Digit${name}`, keyCode: name.charCodeAt(0) };
  }
  const [code, shifted] = US_SYMBOLS[name] ?? [name, name];
  return { key: name, shifted, code, keyCode: 0 };
}

interface More extends Partial<KeyEvent> {
  /** States beside the four modifiers: CapsLock, NumLock, AltGraph. */
  readonly states?: readonly string[];
}

/** `more` replaces what the name says. */
export function pressed(name: string, { states = [], ...more }: More = {}): KeyEvent {
  const names = name.split('+');
  const us = usKey(names.at(-1) ?? '');
  const shiftKey = names.slice(0, -1).includes('shift');
  const has = (modifier: string) => names.slice(0, -1).includes(modifier);
  return {
    type: 'keydown',
    key: shiftKey ? us.shifted : us.key,
    code: us.code,
    keyCode: us.keyCode,
    repeat: false,
    isComposing: false,
    shiftKey,
    altKey: has('alt'),
    ctrlKey: has('ctrl'),
    metaKey: has('super'),
    getModifierState: (state) => states.includes(state),
    ...more,
  };
}

export const released = (name: string, more: More = {}): KeyEvent =>
  pressed(name, { ...more, type: 'keyup' });
export const repeated = (name: string, more: More = {}): KeyEvent => pressed(name, { ...more, repeat: true });
