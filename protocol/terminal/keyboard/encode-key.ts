/**
 * What a key sends to a program that has asked for more than the usual: by the kitty keyboard protocol, or by xterm's
 * modifyOtherKeys. If a program asks for both, the former counts.
 *
 *   CSI key : with Shift : on a US keyboard ; modifiers : event ; text u
 */

import { type FunctionalKey, functionalKey, modifierKey, SINGLE_BYTES } from './functional-keys.ts';
import {
  baseKey,
  isCharacter,
  isComposed,
  type KeyEvent,
  locksOf,
  MODIFIER,
  modifiersOf,
  type OptionKey,
  plainKey,
  shiftedKey,
  textOf,
} from './key-event.ts';
import { KEY_FLAG, type OtherKeysLevel } from './key-modes.ts';
import { encodeOtherKey } from './other-keys.ts';

export interface Keyboard {
  readonly flags: number;
  readonly otherKeys: OtherKeysLevel;
  readonly option: OptionKey;
  /** Whether the screen that is shown has lines above it. */
  readonly hasHistory: boolean;
}

/**
 * `terminal`: as if nobody had asked; xterm and the browser do what they always do. `browser`: xterm must not see it.
 */
type Encoded = { readonly send: string } | 'terminal' | 'browser';

/** Flags without which a program has asked for nothing: the others only add to what these make keys send. */
const ASKING = KEY_FLAG.disambiguate | KEY_FLAG.eventTypes | KEY_FLAG.allKeys;

/** What Ctrl+/ sends everywhere else, for undo in Emacs and shells. xterm sends nothing. */
const CTRL_SLASH = '\x1f';

export function encodeKey(event: KeyEvent, keyboard: Keyboard): Encoded {
  if (isComposed(event) || (event.type !== 'keydown' && event.type !== 'keyup')) return 'terminal';
  if ((keyboard.flags & ASKING) !== 0) return encodeKitty(event, keyboard);
  if (event.type === 'keyup') return 'terminal';
  const other = encodeOtherKey(event, keyboard.otherKeys, keyboard.option);
  if (other !== undefined) return { send: other };
  const modifiers = modifiersOf(event, keyboard.option) & ~MODIFIER.shift;
  return event.key === '/' && modifiers === MODIFIER.ctrl ? { send: CTRL_SLASH } : 'terminal';
}

/** Keys with which people scroll, copy and paste in every terminal, whatever a program has asked for. */
function isForTerminal({ key }: KeyEvent, modifiers: number, hasHistory: boolean): boolean {
  if (key === 'Insert') return modifiers === MODIFIER.shift || modifiers === MODIFIER.ctrl;
  return hasHistory && modifiers === MODIFIER.shift && (key === 'PageUp' || key === 'PageDown');
}

function encodeKitty(event: KeyEvent, { flags, option, hasHistory }: Keyboard): Encoded {
  const allKeys = (flags & KEY_FLAG.allKeys) !== 0;
  const isReleased = event.type === 'keyup';
  if (isReleased && (flags & KEY_FLAG.eventTypes) === 0) return 'terminal';
  // The browser composes the next character. xterm would wait for it too, but not see it.
  if (event.key === 'Dead') return allKeys ? 'browser' : 'terminal';
  const modifiers = modifiersOf(event, option);
  if (isForTerminal(event, modifiers, hasHistory)) return 'terminal';
  const modifier = modifierKey(event);
  if (modifier !== undefined)
    return allKeys ? sequence(event, flags, modifiers | locksOf(event), modifier) : 'terminal';
  const text = textOf(event, option);
  if (!allKeys && text !== '' && !isReleased) return 'terminal';
  const functional = functionalKey(event);
  if (functional === undefined && !isCharacter(event.key)) return 'terminal';
  // Copying, new tabs and the like: Command and the Windows key belong to the browser and the system.
  if (isCharacter(event.key) && (modifiers & MODIFIER.super) !== 0) return 'terminal';
  const byte = event.code.startsWith('Numpad') ? undefined : SINGLE_BYTES[event.key];
  if (byte !== undefined && !allKeys) {
    // So that a person can type `reset` after a program that has left the flags set.
    if (isReleased) return 'terminal';
    if (modifiers === 0) return { send: byte };
  }
  const all = modifiers | locksOf(event);
  if (functional !== undefined) return sequence(event, flags, all, functional, text);
  return sequence(event, flags, all, characterKey(event, flags, option), text);
}

/** No other modifier than CapsLock and NumLock, and not released. */
const ENTER = /^\[(?:13|57414)(?:;(?:1|65|129|193)?(?::[12])?)?u$/;

/** Whether this is what an Enter key sends. A program may have died without giving the keyboard back. */
export function isEnter(typed: string): boolean {
  return typed === '\r' || (typed.startsWith('\x1b') && ENTER.test(typed.slice(1)));
}

interface SentKey {
  readonly number: number | string;
  readonly final: string;
}

/** With its alternates: `97`, `97:65`, `1089::99`, `1089:1057:99`. */
function characterKey(event: KeyEvent, flags: number, option: OptionKey): SentKey {
  const key = plainKey(event, option);
  if ((flags & KEY_FLAG.alternates) === 0) return { number: codePoints(key), final: 'u' };
  const shifted = event.shiftKey ? shiftedKey(event, option) : key;
  const base = baseKey(event) ?? key;
  const alternates = [shifted === key ? '' : codePoints(shifted), base === key ? '' : codePoints(base)];
  return { number: [codePoints(key), ...alternates].join(':').replace(/:+$/, ''), final: 'u' };
}

function sequence(
  event: KeyEvent,
  flags: number,
  modifiers: number,
  { number, final }: SentKey | FunctionalKey,
  text = '',
): Encoded {
  const eventType = event.type === 'keyup' ? 3 : event.repeat ? 2 : 1;
  const kind = (flags & KEY_FLAG.eventTypes) !== 0 && eventType !== 1 ? `:${eventType}` : '';
  const second = modifiers === 0 && kind === '' ? '' : `${modifiers + 1}${kind}`;
  const hasText = (flags & KEY_FLAG.text) !== 0 && eventType !== 3 && text !== '';
  const third = hasText ? codePoints(text) : '';
  const fields = third !== '' ? `;${second};${third}` : second === '' ? '' : `;${second}`;
  return { send: `\x1b[${number === 1 && fields === '' ? '' : number}${fields}${final}` };
}

function codePoints(text: string): string {
  return Array.from(text, (char) => char.codePointAt(0)).join(':');
}
