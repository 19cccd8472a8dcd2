/** A key event as browsers report it, and what it means: the modifiers that count, and the text it types. */

/** The parts of a KeyboardEvent that are used. */
export interface KeyEvent {
  readonly type: string;
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly repeat: boolean;
  readonly isComposing: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  getModifierState(name: string): boolean;
}

/** What the Option key of a Mac does; on other keyboards there is none. */
export type OptionKey = 'none' | 'types' | 'meta';

/** `keyCode` of a key that an input method handles. */
const INPUT_METHOD = 229;

/** Whether an input method has the key. What it types arrives by itself. */
export function isComposed({ isComposing, keyCode, key }: KeyEvent): boolean {
  return isComposing || keyCode === INPUT_METHOD || key === 'Process' || key === 'Unidentified';
}

/** Names of keys are words; everything else is what the key types, such as `a`, `é` or the two letters of `لا`. */
export function isCharacter(key: string): boolean {
  return key !== '' && !/^[A-Z][A-Za-z0-9]+$/.test(key);
}

/** Modifiers as both protocols number them. */
export const MODIFIER = { shift: 1, alt: 2, ctrl: 4, super: 8, capsLock: 64, numLock: 128 } as const;

/**
 * Without Ctrl and Alt if they only choose another character: AltGr is reported as both by some systems, and Option
 * types characters unless it is the Meta key.
 */
export function modifiersOf(event: KeyEvent, option: OptionKey): number {
  const isChoosing = choosesCharacter(event, option);
  return (
    (event.shiftKey ? MODIFIER.shift : 0) |
    (event.altKey && !isChoosing ? MODIFIER.alt : 0) |
    (event.ctrlKey && !isChoosing ? MODIFIER.ctrl : 0) |
    (event.metaKey ? MODIFIER.super : 0)
  );
}

export function locksOf(event: KeyEvent): number {
  return (
    (event.getModifierState('CapsLock') ? MODIFIER.capsLock : 0) |
    (event.getModifierState('NumLock') ? MODIFIER.numLock : 0)
  );
}

function choosesCharacter(event: KeyEvent, option: OptionKey): boolean {
  if (!isCharacter(event.key)) return false;
  if (event.getModifierState('AltGraph')) return true;
  return option === 'types' && event.altKey && !event.ctrlKey && !event.metaKey;
}

/** The text that the key types; empty if it types none. */
export function textOf(event: KeyEvent, option: OptionKey): string {
  const others = MODIFIER.alt | MODIFIER.ctrl | MODIFIER.super;
  return isCharacter(event.key) && (modifiersOf(event, option) & others) === 0 ? event.key : '';
}

/** The characters of a US keyboard by the place of the key, without and with Shift. */
const US_KEYS: Readonly<Record<string, string>> = {
  Backquote: '`~',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  Space: '  ',
};
const US_SHIFTED_DIGITS = ')!@#$%^&*(';

function usKey(code: string): string | undefined {
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? [];
  if (letter !== undefined) return letter.toLowerCase() + letter;
  if (digit !== undefined) return digit + US_SHIFTED_DIGITS.charAt(Number(digit));
  return US_KEYS[code];
}

/** The character at the same place of a US keyboard. */
export function baseKey({ code }: KeyEvent): string | undefined {
  return usKey(code)?.charAt(0);
}

/**
 * The character of the key without modifiers, for an event that has a character. Browsers do not tell it if Shift,
 * AltGr or Option has chosen another; then it is derived from the key's letter or digit, or assumed as on a US
 * keyboard.
 */
export function plainKey(event: KeyEvent, option: OptionKey): string {
  const isOption = option !== 'none' && event.altKey;
  if (isOption || choosesCharacter(event, option))
    return labelOf(event.keyCode) ?? baseKey(event) ?? event.key;
  const lower = firstOf(event.key.toLowerCase());
  if (!event.shiftKey || lower !== firstOf(event.key.toUpperCase())) return lower;
  const us = usKey(event.code) ?? '';
  return us.charAt(1) === event.key || event.code.startsWith('Digit') ? us.charAt(0) : lower;
}

/** The key with Shift. CapsLock reverses what an event says about letters. */
export function shiftedKey(event: KeyEvent, option: OptionKey): string {
  const plain = plainKey(event, option);
  const upper = plain.toUpperCase();
  return upper === plain ? firstOf(event.key) : firstOf(upper);
}

/** Letters and digits are numbered by what the layout has there, whatever the modifiers. */
function labelOf(keyCode: number): string | undefined {
  const isLabel = (keyCode >= 0x30 && keyCode <= 0x39) || (keyCode >= 0x41 && keyCode <= 0x5a);
  return isLabel ? String.fromCharCode(keyCode).toLowerCase() : undefined;
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
