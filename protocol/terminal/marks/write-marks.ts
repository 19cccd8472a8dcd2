/** Writes marks as the sequences that make them, for a terminal that has none yet. */
import type { MarkState } from './command-rows.ts';
import type { Mark, MarkKind } from './mark.ts';

/** What a snapshot contains of marks. */
export interface WrittenMarks {
  /** Written before all rows: that marks are verified holds even if none is left. */
  readonly before: string;
  /** What to write when the cursor is at the start of a row, where it may leave it in another column. */
  readonly rows: ReadonlyMap<number, string>;
  /** Written after all rows. */
  readonly after: string;
}

const NONE: WrittenMarks = { before: '', rows: new Map(), after: '' };

/** `nonce` is the session's. Commands that begin above the row `from` are left out. */
export function writtenMarks(state: MarkState, nonce: string | null, from: number): WrittenMarks {
  const { commands, commandLine, isVerified } = state;
  if (!isVerified && commands.length === 0 && commandLine === null) return NONE;
  const proof = isVerified && nonce !== null ? `;nonce=${nonce}` : '';
  const rows = new Map<number, string>();
  const write = (row: number, text: string) => rows.set(row, (rows.get(row) ?? '') + text);
  for (const { promptRow, outputRow, endRow, endColumn, exitCode, number, ...command } of commands) {
    if (promptRow < from) continue;
    const numbered = number === null ? proof : `${proof};n=${number}`;
    write(promptRow, osc(`133;A${proof}`));
    if (outputRow === null) continue;
    const line = command.commandLine === null ? '' : `;cmdline_url=${percentEscaped(command.commandLine)}`;
    write(outputRow, osc(`133;C${numbered}${line}`));
    if (endRow === null) continue;
    const end = osc(`133;D${exitCode === null ? '' : `;${exitCode}`}${numbered}`);
    write(endRow, endColumn === 0 ? end : `\x1b[${endColumn + 1}G${end}\r`);
  }
  return {
    before: proof === '' ? '' : osc(`133;B${proof}`),
    rows,
    after: commandLine === null ? '' : osc(`633;E;${escaped(commandLine)}${proof.replace('nonce=', '')}`),
  };
}

const LETTERS: Readonly<Partial<Record<MarkKind, string>>> = {
  prompt: 'A',
  input: 'B',
  output: 'C',
  end: 'D',
};

/** The mark without anything that only we understand; empty for one that no other terminal has. */
export function plainMark({ kind, exitCode }: Pick<Mark, 'kind' | 'exitCode'>): string {
  const letter = LETTERS[kind];
  if (letter === undefined) return '';
  return osc(`133;${letter}${exitCode === null ? '' : `;${exitCode}`}`);
}

function osc(data: string): string {
  return `\x1b]${data}\x1b\\`;
}

function percentEscaped(line: string): string {
  return line.replace(/[%;\n\t]/g, (char) => `%${hex(char)}`);
}

function escaped(line: string): string {
  return line.replace(/[\\;\n\t]/g, (char) => (char === '\\' ? '\\\\' : `\\x${hex(char)}`));
}

/** A line has no other control characters than newlines and tabs. */
function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}
