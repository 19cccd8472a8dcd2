/**
 * The keys without a character, as the kitty keyboard protocol numbers them: `CSI number u`, `CSI number ~` or
 * `CSI 1 letter`. Keys of music players and for the volume are missing: they belong to the system.
 */
import { isCharacter, type KeyEvent } from './key-event.ts';

export interface FunctionalKey {
  readonly number: number;
  readonly final: string;
}

const u = (number: number): FunctionalKey => ({ number, final: 'u' });
const tilde = (number: number): FunctionalKey => ({ number, final: '~' });
const letter = (final: string): FunctionalKey => ({ number: 1, final });

/** The only ones that still send a single byte as long as not all keys send sequences. */
export const SINGLE_BYTES: Readonly<Record<string, string>> = { Enter: '\r', Tab: '\t', Backspace: '\x7f' };

const F13 = 57_376;

const BY_NAME: Readonly<Record<string, FunctionalKey>> = {
  Escape: u(27),
  Enter: u(13),
  Tab: u(9),
  Backspace: u(127),
  Insert: tilde(2),
  Delete: tilde(3),
  ArrowLeft: letter('D'),
  ArrowRight: letter('C'),
  ArrowUp: letter('A'),
  ArrowDown: letter('B'),
  PageUp: tilde(5),
  PageDown: tilde(6),
  Home: letter('H'),
  End: letter('F'),
  PrintScreen: u(57_361),
  Pause: u(57_362),
  ContextMenu: u(57_363),
  F1: letter('P'),
  F2: letter('Q'),
  F3: tilde(13), // `CSI 1 ; modifiers R` is the report of the cursor's position
  F4: letter('S'),
  F5: tilde(15),
  F6: tilde(17),
  F7: tilde(18),
  F8: tilde(19),
  F9: tilde(20),
  F10: tilde(21),
  F11: tilde(23),
  F12: tilde(24),
  ...Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`F${13 + at}`, u(F13 + at)])),
};

/** By the place of the key, because left and right are different keys. */
const MODIFIERS: Readonly<Record<string, FunctionalKey>> = {
  ShiftLeft: u(57_441),
  ControlLeft: u(57_442),
  AltLeft: u(57_443),
  MetaLeft: u(57_444),
  ShiftRight: u(57_447),
  ControlRight: u(57_448),
  AltRight: u(57_449),
  MetaRight: u(57_450),
};

const MODIFIER_NAMES: readonly string[] = ['Shift', 'Control', 'Alt', 'Meta'];

const LOCKS: Readonly<Record<string, FunctionalKey>> = {
  CapsLock: u(57_358),
  ScrollLock: u(57_359),
  NumLock: u(57_360),
  AltGraph: u(57_453),
};

/** Shift and the like. They are keys of their own only if all keys send sequences. */
export function modifierKey({ key, code }: KeyEvent): FunctionalKey | undefined {
  return LOCKS[key] ?? (MODIFIER_NAMES.includes(key) ? MODIFIERS[code] : undefined);
}

/** Of the keypad, while it types numbers. */
const KEYPAD_CHARACTERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`Numpad${digit}`, 57_399 + digit])),
  NumpadDecimal: 57_409,
  NumpadDivide: 57_410,
  NumpadMultiply: 57_411,
  NumpadSubtract: 57_412,
  NumpadAdd: 57_413,
  NumpadEqual: 57_415,
  NumpadComma: 57_416,
};

/** Of the keypad, while it moves the cursor. */
const KEYPAD_NAMES: Readonly<Record<string, FunctionalKey>> = {
  Enter: u(57_414),
  ArrowLeft: u(57_417),
  ArrowRight: u(57_418),
  ArrowUp: u(57_419),
  ArrowDown: u(57_420),
  PageUp: u(57_421),
  PageDown: u(57_422),
  Home: u(57_423),
  End: u(57_424),
  Insert: u(57_425),
  Delete: u(57_426),
  Clear: letter('E'),
};

export function functionalKey({ key, code }: KeyEvent): FunctionalKey | undefined {
  if (!code.startsWith('Numpad')) return BY_NAME[key];
  if (!isCharacter(key)) return KEYPAD_NAMES[key];
  const number = KEYPAD_CHARACTERS[code];
  return number === undefined ? undefined : u(number);
}
