/** The output of a command, by the marks of its shell. The page's terminal is the headless one here. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { type MarkedCore, MarkRows } from '../../../../../protocol/terminal/marks/mark-rows.ts';
import { outputRange, outputText } from '../../../../../web/ui/terminal/marks/command-output.ts';
import { statusOf, statusText } from '../../../../../web/ui/terminal/marks/command-status.ts';

const osc = (data: string) => `\x1b]${data}\x07`;
const ran = (output: string) => `${osc('133;A')}$ x\r\n${osc('133;C')}${output}`;
const ended = (output: string, exit = '0') => `${ran(output)}${osc(`133;D;${exit}`)}`;

/** The outputs of all commands, after this was printed to a terminal of ten columns. */
async function outputsOf(printed: string): Promise<string[]> {
  const terminal = new Terminal({ cols: 10, rows: 6, scrollback: 50, allowProposedApi: true });
  const marks = new MarkRows(terminal, (terminal as unknown as { readonly _core: MarkedCore })._core);
  await new Promise<void>((resolve) => terminal.write(printed, resolve));
  const { normal } = terminal.buffer;
  const { baseY, cursorX, cursorY } = normal;
  const buffer = {
    cursorRow: baseY + cursorY,
    cursorX,
    cols: 10,
    getLine: (row: number) => normal.getLine(row),
  };
  const { commands } = marks.state;
  return commands.flatMap((command, at) => {
    const range = outputRange(command, commands[at + 1], buffer);
    return range === null ? [] : [outputText(range, buffer)];
  });
}

describe('the output of a command', () => {
  it.each([
    { what: 'nothing', printed: `${ended('')}${osc('133;A')}$ `, outputs: [''] },
    { what: 'lines', printed: `${ended('a\r\n\r\n b \r\n')}${osc('133;A')}$ `, outputs: ['a\n\n b '] },
    { what: 'text without a newline', printed: `${ended('done')}${osc('133;A')}$ `, outputs: ['done'] },
    { what: 'a row that is full', printed: `${ended('0123456789')}`, outputs: ['0123456789'] },
    { what: 'a line over two rows', printed: ended('01234 6789 12 \r\n'), outputs: ['01234 6789 12 '] },
    { what: 'what was printed so far', printed: ran('a\r\nbc'), outputs: ['a\nbc'] },
    {
      what: 'all until the next prompt, if its end was not reported',
      printed: `${ran('a\r\n')}${ended('b\r\n')}`,
      outputs: ['a', 'b'],
    },
    { what: 'none while a prompt waits', printed: `${osc('133;A')}$ `, outputs: [] },
  ])('[T3] is $what', async ({ printed, outputs }) => {
    expect(await outputsOf(printed)).toEqual(outputs);
  });
});

describe('the status of a command', () => {
  const row = { key: 1, promptRow: 0, outputRow: 1, endColumn: 0, number: 1, commandLine: 'x' };
  it.each([
    { endRow: null, exitCode: null, isLast: true, text: 'running' },
    { endRow: null, exitCode: null, isLast: false, text: 'exit code unknown' },
    { endRow: 2, exitCode: null, isLast: true, text: 'exit code unknown' },
    { endRow: 2, exitCode: 0, isLast: true, text: 'succeeded' },
    { endRow: 2, exitCode: 130, isLast: false, text: 'exit code 130' },
  ])('[T3] is $text', ({ endRow, exitCode, isLast, text }) => {
    expect(statusText(statusOf({ ...row, endRow, exitCode }, isLast), exitCode)).toBe(text);
  });
});
