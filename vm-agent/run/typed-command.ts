/**
 * What is typed so that a shell runs a command. Pure.
 *
 * A shell with our script marks the beginning and the end of every command by itself, so a plain line is typed as it is.
 * A command that an interactive shell would read in another way than a script does (several lines, `!` of the history)
 * is passed to `eval` as a string. A shell without our script gets marks of this run around it: it reads the whole line
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
}

const POSIX: ReadonlySet<string> = new Set('sh bash dash ash busybox zsh ksh mksh'.split(' '));

/** A terminal passes no more of a line to a program without an editor of its own. */
const LINE_MAX_BYTES = 4000;

/** Everything that is typed, with Enter. Throws `bad_request` if this shell cannot run it. */
export function typedCommand(
  command: string,
  nonce: string,
  { shell, isMarked, pastes }: ShellManner,
): string {
  const name = shell.replace(/^-/, '');
  if (name !== 'fish' && !POSIX.has(name))
    throw new Refusal('bad_request', `Commands cannot be run in ${name}. Type them instead.`);
  const text = command.replaceAll('\r\n', '\n').trim();
  const quoted = name === 'fish' ? fishQuoted(text) : posixQuoted(text);
  const line = isMarked ? (isPlain(text) ? text : `eval ${quoted}`) : marked(quoted, nonce, name);
  if (pastes) return `${pasted(line)}\r`;
  const longest = Math.max(...line.split('\n').map((part) => Buffer.byteLength(part)));
  if (longest > LINE_MAX_BYTES)
    throw new Refusal('bad_request', `This shell reads lines of at most ${LINE_MAX_BYTES} bytes.`);
  // A program that was killed may have left the terminal in a mode in which Enter is not the end of a line.
  return `${line}\n`;
}

/** Whether an interactive shell reads it as a script does, and ends it at its end. */
function isPlain(text: string): boolean {
  return !/[\n!]|\\$/.test(text);
}

function marked(quoted: string, nonce: string, shell: string): string {
  const print = (mark: string, ...values: string[]) => `printf '${mark}' ${values.join(' ')}`;
  const first = print(markOf('C'), nonce);
  const last = print(markOf('D'), shell === 'fish' ? '$status' : '$?', nonce);
  return shell === 'fish'
    ? `begin; ${first}; eval ${quoted}; ${last}; end`
    : `{ ${first}; eval ${quoted}; ${last}; }`;
}

function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
