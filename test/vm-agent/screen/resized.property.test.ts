/**
 * A terminal that was restored and then resized keeps the same rows as the original, in the visible buffer and in the
 * hidden one.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Size } from '../../../protocol/frame.ts';
import type { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { concat } from '../../../vm-agent/screen/pending.ts';
import { checkProperty } from '../../support/property.ts';
import { program } from './programs.ts';
import { bytesOf, expectSame, restored, terminal } from './terminal-state.ts';

const size = fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 10 }) });

/** Nothing, or the first output of a full-screen program. */
const opening = fc.constantFrom('', '\x1b[?47h', '\x1b[?1049h', '\x1b[?1049h\x1b[H\x1b[2J');

/** The terminal restored after `output`, and the original. */
function pair(output: Uint8Array, from: Size, scrollback: number) {
  const witness = terminal(from, scrollback);
  witness.write(output);
  const copy = restored(witness, output.subarray(output.length - witness.heldBytes), scrollback);
  return { witness, copy };
}

/** A tab stop set by a cursor with a pending wrap is not restored. */
function hasStopBeyond({ size: { cols }, xterm }: Emulator): boolean {
  const { normal, alt } = xterm.core.buffers;
  return [normal, alt].some(({ tabs }) => Object.keys(tabs).some((col) => Number(col) >= cols));
}

describe('a terminal that changes its size after it was restored', () => {
  it('[D1] keeps the shell output behind a full-screen program', () => {
    const output = bytesOf('9\n\n\x1b[?47h');
    const { witness, copy } = pair(output, { cols: 2, rows: 2 }, 10);
    for (const { xterm } of [witness, copy]) xterm.terminal.resize(2, 1);
    expectSame(copy, witness, 'resized');
  });

  it.each([
    ['shorter', { cols: 80, rows: 6 }],
    ['taller', { cols: 80, rows: 24 }],
    ['narrower', { cols: 20, rows: 12 }],
  ])('[D1] keeps all of 20 lines when it becomes %s while vim is open', (_how, to) => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1} of the shell's output\r\n`);
    const output = bytesOf(`${lines.join('')}$ vim\r\n\x1b[?1049h\x1b[2J\x1b[H~\r\n~`);
    const { witness, copy } = pair(output, { cols: 80, rows: 12 }, 100);
    for (const each of [witness, copy]) {
      each.resize(to);
      each.write(bytesOf('\x1b[?1049l'));
    }
    const text = [...copy.text.pieces('text', 'all')].join('').replace(/\n(?=tput|e shell)/g, '');
    for (let line = 1; line <= 20; line++) expect(text).toContain(`line ${line} of`);
    expectSame(copy, witness, 'resized');
  });

  it('[D1] equals the original, for any output and any new size', () => {
    checkProperty(
      'resized-terminal',
      fc.property(program, opening, size, size, ({ size: from, scrollback, output, at }, open, to, then) => {
        const end = Math.floor(at * output.length);
        const { witness, copy } = pair(concat(output.subarray(0, end), bytesOf(open)), from, scrollback);
        fc.pre(!hasStopBeyond(witness));
        for (const each of [witness, copy]) each.resize(to);
        expectSame(copy, witness, 'resized');
        for (const each of [witness, copy]) {
          each.write(output.subarray(end));
          each.resize(then);
        }
        expectSame(copy, witness, 'resized again');
      }),
      { numRuns: 400 },
    );
  });
});
