/** The keys that a program may press in a session by name, and the bytes that a terminal sends for each. */

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  space: ' ',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  'shift-tab': '\x1b[Z',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
  f6: '\x1b[17~',
  f7: '\x1b[18~',
  f8: '\x1b[19~',
  f9: '\x1b[20~',
  f10: '\x1b[21~',
  f11: '\x1b[23~',
  f12: '\x1b[24~',
};

/** `ctrl-` and a character from `@` to `_`; its lower five bits are sent. */
const CONTROL = /^(?:ctrl-|c-|\^)([@-_a-z])$/i;

/** One character that is visible; a key is pressed, not a text typed. */
const CHARACTER = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** For people and models. */
export const KEY_NAMES = `${Object.keys(NAMED).join(', ')}, ctrl-<letter>, or one character`;

/** Undefined if no key has this name. */
export function keyBytes(name: string): string | undefined {
  if (CHARACTER.test(name)) return name;
  const lower = name.toLowerCase();
  if (Object.hasOwn(NAMED, lower)) return NAMED[lower];
  const [, pressed] = CONTROL.exec(name) ?? [];
  return pressed === undefined ? undefined : String.fromCharCode(pressed.toUpperCase().charCodeAt(0) & 0x1f);
}
