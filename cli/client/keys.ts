/** Translates key names to the bytes a terminal sends for them. */
import { UsageError } from '../command-line/usage-error.ts';

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

const KEY_NAMES = `${Object.keys(NAMED).join(', ')}, ctrl-<letter>`;

export function keyBytes(name: string): string {
  const named = NAMED[name.toLowerCase()];
  if (named !== undefined) return named;
  const [, pressed] = CONTROL.exec(name) ?? [];
  if (pressed !== undefined) return String.fromCharCode(pressed.toUpperCase().charCodeAt(0) & 0x1f);
  throw new UsageError(`unknown key ${JSON.stringify(name)}; keys are ${KEY_NAMES}`);
}
