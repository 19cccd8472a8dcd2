/**
 * Marks by which shells tell where a prompt, a command's output and its end are: OSC 133 as defined by FinalTerm and
 * extended by others, and OSC 633 of VS Code.
 *
 *   133;A           a prompt begins
 *   133;B           the prompt ends, and what the user types begins
 *   133;C           a command was accepted; its output begins
 *   133;D;exitCode  the command has ended
 *   633;E;line      the command that follows, with `\\` and `\xHH` as escapes
 *
 * Parameters after the letter are `name=value`. Those of our own scripts: `nonce` proves that the script made the mark,
 * `n` is the number of the command in its session, `cmdline_url` is the command with `%HH` as escapes.
 */
import { COMMAND_LINE_MAX_CHARS, MARK_NONCE_MAX_CHARS } from '../../limits.ts';
import { printableLines } from '../../printable.ts';

export type MarkKind = 'prompt' | 'input' | 'command' | 'output' | 'end';

export interface Mark {
  readonly kind: MarkKind;
  /** Null: anything printed could have made this mark. */
  readonly nonce: string | null;
  /** The command's number in its session; null if the mark does not tell. */
  readonly number: number | null;
  /** Without control characters other than newlines and tabs. Null if the mark does not tell, or if it is too long. */
  readonly commandLine: string | null;
  /** Null if the mark does not tell. */
  readonly exitCode: number | null;
}

export const MARK_CODES = [133, 633] as const;
export type MarkCode = (typeof MARK_CODES)[number];

const KINDS: ReadonlyMap<string, MarkKind> = new Map([
  ['A', 'prompt'],
  ['B', 'input'],
  ['C', 'output'],
  ['D', 'end'],
]);

const EXIT_CODE = /^-?\d{1,10}$/;
const NUMBER = /^\d{1,9}$/;

/** `data` is what follows `133;` or `633;`. Null if it is no mark, or one that says nothing we use. */
export function parseMark(code: MarkCode, data: string): Mark | null {
  const [letter = '', ...rest] = data.split(';');
  if (code === 633 && letter === 'E') return commandMark(rest);
  const kind = KINDS.get(letter);
  const parameters = parametersOf(rest);
  // A prompt of another kind: that of the second line of a command, or the one at the right margin.
  if (kind === undefined || (kind === 'prompt' && /^[scr]$/.test(parameters.get('k') ?? ''))) return null;
  const number = parameters.get('n') ?? '';
  const line = parameters.get('cmdline_url');
  return {
    kind,
    nonce: nonceOf(parameters.get('nonce')),
    number: NUMBER.test(number) ? Number(number) : null,
    commandLine: kind === 'output' && line !== undefined ? lineOf(line, /%([0-9a-f]{2})/gi) : null,
    exitCode: kind === 'end' && EXIT_CODE.test(rest[0] ?? '') ? Number(rest[0]) : null,
  };
}

function commandMark([line = '', nonce]: readonly string[]): Mark {
  const commandLine = lineOf(line, /\\(?:x([0-9a-f]{2})|\\)/gi);
  return { kind: 'command', nonce: nonceOf(nonce), number: null, commandLine, exitCode: null };
}

function parametersOf(fields: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const field of fields) {
    const at = field.indexOf('=');
    if (at > 0) parameters.set(field.slice(0, at), field.slice(at + 1));
  }
  return parameters;
}

function nonceOf(text: string | undefined): string | null {
  return text === undefined || text === '' || text.length > MARK_NONCE_MAX_CHARS ? null : text;
}

/** Null if it is empty or too long: a command that was cut would be another command. */
function lineOf(escaped: string, escapes: RegExp): string | null {
  // \xHH, the longest escape, has four characters.
  if (escaped.length > COMMAND_LINE_MAX_CHARS * 4) return null;
  // Escapes are for ASCII: other characters stand for themselves.
  const whole = escaped.replace(escapes, (_, digits?: string) =>
    digits === undefined ? '\\' : String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const line = printableLines(whole).trim();
  return line === '' || line.length > COMMAND_LINE_MAX_CHARS ? null : line;
}
