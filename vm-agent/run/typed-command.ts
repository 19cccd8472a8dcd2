/**
 * What is typed so that a shell runs a command. Pure.
 *
 * A shell with our script marks the beginning and the end of every command by itself, so a plain line is typed as it is.
 * A command that an interactive shell would read in another way than a script does (several lines, `!` of the history,
 * comments in zsh) is passed to `eval` as a string. A shell without our script gets marks of this run around it: it reads the whole line
 * before it runs any of it, so that a command that reads its input does not get the last mark.
 */
import { Refusal } from '../../protocol/errors.ts';
import { pasted } from '../keyboard/paste-mode.ts';
import { markOf } from './run-marks.ts';

export interface ShellManner {
  /** The name of the shell's program. */
  readonly shell: string;
  /** Whether it reads our script. */
  readonly isMarked: boolean;
  /** Whether it wants pastes to be marked. */
  readonly pastes: boolean;
  /** Whether its line may not be empty. */
  readonly mayHaveDraft: boolean;
}

/** In these, `command` keeps an error inside of `eval` from dropping the rest of the line. In zsh it is no such thing. */
const POSIX: ReadonlySet<string> = new Set('sh bash dash ash busybox ksh mksh'.split(' '));
const SHELLS: ReadonlySet<string> = new Set([...POSIX, 'zsh', 'fish']);

/** Characters that a terminal takes for keys, also inside of a paste: Ctrl-C in a command would drop its beginning. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const KEYS = /[\0-\x08\x0b-\x1f\x7f]/;

/** Ctrl-U, which removes everything before the cursor. It rings the bell if that is nothing, so a space comes first. */
const CLEAR_LINE = ' \x15';

/** Ctrl-V: the next key stands for itself. */
const LITERAL = '\x16';

/** A terminal passes no more of a line to a program without an editor of its own. */
const LINE_MAX_BYTES = 4000;

/** Everything that is typed, with Enter. Throws `bad_request` if this shell cannot run it. */
export function typedCommand(
  command: string,
  nonce: string,
  { shell, isMarked, pastes, mayHaveDraft }: ShellManner,
): string {
  const name = shell.replace(/^-/, '');
  if (!SHELLS.has(name))
    throw new Refusal('bad_request', `Commands cannot be run in ${name}. Type them instead.`);
  const text = command.replaceAll('\r\n', '\n').trim();
  if (KEYS.test(text))
    throw new Refusal(
      'bad_request',
      'A command cannot have control characters other than tabs and line ends.',
    );
  const quoted = name === 'fish' ? fishQuoted(text) : posixQuoted(text);
  const line = isMarked ? (isPlain(text, name) ? text : `eval ${quoted}`) : marked(quoted, nonce, name);
  if (pastes) return `${mayHaveDraft ? CLEAR_LINE : ''}${pasted(line)}\r`;
  const longest = Math.max(...line.split('\n').map((part) => Buffer.byteLength(part)));
  if (longest > LINE_MAX_BYTES)
    throw new Refusal('bad_request', `This shell reads lines of at most ${LINE_MAX_BYTES} bytes.`);
  // A shell that edits its line would complete a word at a tab.
  const keys = isMarked ? line.replaceAll('\t', `${LITERAL}\t`) : line;
  // A program that was killed may have left the terminal in a mode in which Enter is not the end of a line.
  return `${keys}\n`;
}

/** Whether an interactive shell reads it as a script does, and ends it at its end. */
function isPlain(text: string, shell: string): boolean {
  if (shell === 'fish' && text.includes('\t')) return false;
  return text !== '' && !/[\n!#]|^\^|\\$/.test(text);
}

function marked(quoted: string, nonce: string, shell: string): string {
  const print = (mark: string, ...values: string[]) => `printf '${mark}' ${values.join(' ')}`;
  const first = print(markOf('C'), nonce);
  const last = print(markOf('D'), shell === 'fish' ? '$status' : '$?', nonce);
  return shell === 'fish'
    ? `begin; ${first}; eval ${quoted}; ${last}; end`
    : `{ ${first}; ${POSIX.has(shell) ? 'command ' : ''}eval ${quoted}; ${last}; }`;
}

function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Fish leaves tabs out of what is pasted, so they are written as an escape, which it knows outside of quotes. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\t', "'\\t'")}'`;
}
