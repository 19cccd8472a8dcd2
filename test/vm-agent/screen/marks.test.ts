/** The marks of a shell are part of a terminal's state: they keep their rows, and snapshots contain them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_LINES_KEPT_MAX_CHARS, COMMANDS_KEPT } from '../../../protocol/limits.ts';
import type { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { checkProperty } from '../../support/property.ts';
import { markedProgram } from './programs.ts';
import { ansi, bytesOf, expectSame, NONCE, restored, terminal } from './terminal-state.ts';

const SIZE = { cols: 40, rows: 8 };
const size = fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 10 }) });

const osc = (data: string) => `\x1b]${data}\x07`;
const prompt = (proof = `;nonce=${NONCE}`) => `${osc(`133;A${proof}`)}$ `;

/** What a shell prints for one command: its prompt, what is typed, its output, and how it ended. */
function ran(number: number, line: string, output: string, exitCode = 0): string {
  const proof = `;nonce=${NONCE};n=${number}`;
  return `${prompt()}${line}\r\n${osc(`133;C${proof};cmdline_url=${line}`)}${output}${osc(`133;D;${exitCode}${proof}`)}`;
}

function printed(output: string, scrollback = 100): Emulator {
  const emulator = terminal(SIZE, scrollback);
  emulator.write(bytesOf(output));
  return emulator;
}

/** The commands with the text of their rows. */
function commandsOf({ marks, xterm }: Emulator): string[] {
  const line = (row: number | null) =>
    row === null
      ? '-'
      : (xterm.terminal.buffer.normal.getLine(row)?.translateToString(true).trim() ?? 'missing');
  return marks.state.commands.map(({ promptRow, outputRow, number, commandLine, exitCode }) =>
    [number, commandLine, exitCode, line(promptRow), line(outputRow)].join(' | '),
  );
}

const THREE = `${ran(1, 'ls', 'a b\r\n')}${ran(2, 'false', '', 1)}${ran(3, 'seq 3', '1\r\n2\r\n3\r\n')}${prompt()}`;
const THREE_COMMANDS = [
  '1 | ls | 0 | $ ls | a b',
  '2 | false | 1 | $ false | $ seq 3',
  '3 | seq 3 | 0 | $ seq 3 | 1',
  ' |  |  | $ | -',
];

describe('the marks of a shell', () => {
  it('[T3] are kept with their rows, command lines and exit codes', () => {
    expect(commandsOf(printed(THREE))).toEqual(THREE_COMMANDS);
  });

  it('[T3] are in a snapshot, and in a snapshot of the restored terminal', () => {
    const witness = printed(THREE);
    const copy = restored(witness, new Uint8Array(0));
    expect(commandsOf(copy)).toEqual(THREE_COMMANDS);
    expect(commandsOf(restored(copy, new Uint8Array(0)))).toEqual(THREE_COMMANDS);
  });

  it('[T3] are not in a snapshot as text or as HTML', () => {
    for (const format of ['text', 'html'] as const)
      expect([...printed(THREE).text.pieces(format, 'all')].join('')).not.toMatch(/133|nonce|cmdline/);
  });

  it('[T3] stay at their rows when the lines are wrapped anew', () => {
    const emulator = printed(`${ran(1, 'yes', `${'y'.repeat(100)}\r\n`)}${THREE}`);
    emulator.resize({ cols: 11, rows: 8 });
    expect(commandsOf(emulator)).toEqual(['1 | yes | 0 | $ yes | yyyyyyyyyyy', ...THREE_COMMANDS]);
    emulator.resize({ cols: 60, rows: 12 });
    expect(commandsOf(emulator)).toEqual([`1 | yes | 0 | $ yes | ${'y'.repeat(60)}`, ...THREE_COMMANDS]);
  });

  it('[T3] go with the rows that are no longer kept', () => {
    const emulator = printed(THREE, 3);
    emulator.write(bytesOf('\r\n'.repeat(6)));
    expect(commandsOf(emulator)).toEqual(THREE_COMMANDS.slice(2));
  });

  it('[T3] go with the screen and the history that are erased, and the waiting prompt moves to the cursor', () => {
    const emulator = printed(THREE);
    emulator.write(bytesOf('\x1b[H\x1b[2J\x1b[3J$ '));
    expect(commandsOf(emulator)).toEqual([' |  |  | $ | -']);
    expect(emulator.marks.isAtPrompt).toBe(true);
  });

  it('[T3] are not made on the alternate screen', () => {
    const emulator = printed(`${THREE}\x1b[?1049h${ran(4, 'inner', 'x\r\n')}\x1b[?1049l`);
    expect(commandsOf(emulator)).toEqual(THREE_COMMANDS);
  });

  it('[T3] of what is below go when the cursor has gone up and makes another', () => {
    const emulator = printed(`${THREE}\x1b[2;1H${prompt()}`);
    expect(commandsOf(emulator)).toHaveLength(2);
    expect(emulator.marks.state.commands.map(({ promptRow }) => promptRow)).toEqual([0, 1]);
  });
});

describe('the rows of a command', () => {
  const rowsOf = ({ marks }: Emulator) =>
    marks.state.commands.map(({ promptRow, outputRow, endRow }) => [promptRow, outputRow, endRow]);
  const plain = { prompt: osc('133;A'), output: osc('133;C'), end: osc('133;D;0') };
  /** A prompt in row 0, its output from row 1, and its end in row 6; the cursor is in the first row. */
  const LONG = `${plain.prompt}$\r\n${plain.output}${'x\r\n'.repeat(5)}${plain.end}\x1b[H`;

  it.each([
    { what: 'stay without a reason to change', output: LONG, rows: [[0, 1, 6]] },
    { what: 'move with lines that are inserted above', output: `${LONG}\x1b[L`, rows: [[1, 2, 7]] },
    { what: 'stay inside when lines are pushed out below', output: `${LONG}\x1b[6L`, rows: [[6, 7, 7]] },
    { what: 'move with lines that are deleted above', output: `\r\n${LONG}\x1b[M`, rows: [[0, 1, 6]] },
    { what: 'end above lines that are deleted', output: `${LONG}\x1b[2;1H\x1b[3M`, rows: [[0, 0, 3]] },
    { what: 'go with the line of the prompt', output: `${LONG}\x1b[M`, rows: [] },
    { what: 'go with the erased line of the prompt', output: `${LONG}\x1b[2;1H\x1b[1J`, rows: [] },
    { what: 'stay if others are erased', output: `${LONG}\x1b[J`, rows: [[0, 1, 6]] },
    {
      what: 'are cut by a mark between them',
      output: `${LONG}\x1b[4;1H${plain.prompt}`,
      rows: [
        [0, 1, 3],
        [3, null, null],
      ],
    },
    {
      what: 'are not ended above the prompt',
      output: `\r\n\r\n${plain.prompt}$\r\n${plain.output}\x1b[H${plain.end}`,
      rows: [],
    },
    {
      what: 'begin above the output if there was no prompt',
      output: `\r\n${plain.output}`,
      rows: [[0, 1, null]],
    },
  ])('[T3] $what', ({ output, rows }) => {
    const emulator = printed(output);
    expect(rowsOf(emulator)).toEqual(rows);
    expectSame(restored(emulator, new Uint8Array(0)), emulator);
  });

  it('[T3] stay inside a terminal that becomes shorter, or go', () => {
    const [long, below] = [printed(LONG), printed(`\r\n\r\n\r\n\r\n${plain.prompt}$\x1b[H`)];
    for (const emulator of [long, below]) emulator.resize({ cols: 40, rows: 3 });
    expect(rowsOf(long)).toEqual([[0, 1, 2]]);
    expect(rowsOf(below)).toEqual([]);
  });

  it('[T3] are restored in the middle of a line, and the column of the end with them', () => {
    const wrapped = printed(
      `${'x'.repeat(50)}${plain.prompt}$\r\n${plain.output}${'y'.repeat(30)}${plain.end}`,
    );
    expectSame(restored(wrapped, new Uint8Array(0)), wrapped);
    expect(wrapped.marks.state.commands[0]).toMatchObject({ promptRow: 1, endRow: 2, endColumn: 30 });
    wrapped.resize({ cols: 10, rows: 8 });
    expectSame(restored(wrapped, new Uint8Array(0)), wrapped);
  });
});

describe('marks without the nonce', () => {
  const FAKE = `${osc('133;A')}$ ${osc('133;C;cmdline_url=rm -rf /')}x\r\n${osc('133;D;0')}`;

  it('[T3] count until the first one with it', () => {
    const emulator = printed(FAKE);
    expect(emulator.marks.state).toMatchObject({
      isVerified: false,
      commands: [{ commandLine: 'rm -rf /' }],
    });
    emulator.write(bytesOf(THREE));
    expect(commandsOf(emulator)).toEqual(THREE_COMMANDS);
  });

  it.each([
    { what: 'none', fake: FAKE },
    { what: 'another', fake: FAKE.replaceAll(/(133;.)/g, '$1;nonce=guess') },
    { what: 'none, after a reset', fake: `\x1bc${FAKE}` },
  ])('[SEC22] [T3] change nothing after it: $what', ({ fake }) => {
    const witness = printed(THREE);
    for (const emulator of [witness, restored(witness, new Uint8Array(0))]) {
      emulator.write(bytesOf(`\r\n${fake}`));
      expect(emulator.marks.state.commands.map(({ commandLine }) => commandLine)).not.toContain('rm -rf /');
      expect(emulator.marks.state.isVerified).toBe(true);
    }
  });

  it('[SEC22] [T3] change nothing after a restart either, if no other mark is left', () => {
    const emulator = printed(`${THREE}\x1bc`);
    const copy = restored(emulator, new Uint8Array(0));
    copy.write(bytesOf(FAKE));
    expect(copy.marks.state).toEqual({ isVerified: true, commands: [], commandLine: null });
  });
});

describe('a flood of marks', () => {
  it('[R7] [T3] keeps the last commands, with bounded text', () => {
    const line = 'x'.repeat(2000);
    const flood = Array.from({ length: 1000 }, (_, n) => ran(n, line, '')).join('');
    const emulator = terminal({ cols: 2100, rows: 4 }, 5000);
    emulator.write(bytesOf(flood));
    const { commands } = emulator.marks.state;
    expect(commands).toHaveLength(COMMANDS_KEPT);
    expect(commands.at(-1)?.number).toBe(999);
    const chars = commands.reduce((sum, { commandLine }) => sum + (commandLine?.length ?? 0), 0);
    expect(chars).toBe(Math.floor(COMMAND_LINES_KEPT_MAX_CHARS / 2000) * 2000);
    expectSame(restored(emulator, new Uint8Array(0)), emulator);
  });

  it('[R7] [T3] adds no listener of xterm for any of them', () => {
    const emulator = printed(THREE);
    expect(emulator.xterm.terminal.markers).toEqual([]);
  });
});

describe('a restored terminal with marks', () => {
  it('[R1] [T3] equals the original, at once, after the rest, and in other sizes', () => {
    checkProperty(
      'marked-terminal',
      fc.property(markedProgram, size, ({ size: from, scrollback, output, at }, to) => {
        const cut = Math.floor(at * output.length);
        const witness = terminal(from, scrollback);
        witness.write(output.subarray(0, cut));
        const copy = restored(witness, output.subarray(cut - witness.heldBytes, cut), scrollback);
        expectSame(copy, witness);
        for (const each of [witness, copy]) each.resize(to);
        expectSame(copy, witness, 'resized');
        for (const each of [witness, copy]) each.write(output.subarray(cut));
        expectSame(copy, witness, 'after the rest');
        for (const { promptRow } of copy.marks.state.commands)
          expect(promptRow).toBeLessThan(copy.xterm.core.buffers.normal.lines.length);
        expect(ansi(copy)).toEqual(ansi(witness));
      }),
      { numRuns: 500 },
    );
  });
});
