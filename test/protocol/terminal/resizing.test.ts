/** Resizing finishes, throws nothing and keeps the text, whatever a program has printed. */
import { describe, expect, it, vi } from 'vitest';
import type { Size } from '../../../protocol/frame.ts';
import type { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { bytesOf, stateOf, terminal } from '../../vm-agent/screen/terminal-state.ts';

const textOf = (emulator: Emulator) => [...emulator.text.pieces('text', 'all')].join('');

function printed(output: string, size: Size, scrollback?: number): Emulator {
  const emulator = terminal(size, scrollback);
  emulator.write(bytesOf(output));
  return emulator;
}

describe('a terminal that is resized', () => {
  it.each([
    [80, 39, 40],
    [81, 37, 38],
    [9, 5, 6],
  ])('[SEC8] keeps its text after wide characters in %i, %i and %i columns', (...widths) => {
    const [first = 0, ...others] = widths;
    const victim = printed(`hi\r\n${'一'.repeat(300)}`, { cols: first, rows: 24 });
    for (const cols of others) {
      victim.resize({ cols, rows: 24 });
      victim.write(bytesOf('\r\n$ '));
    }
    victim.write(bytesOf('after'));
    expect(textOf(victim)).toMatch(/^hi\n一+/);
    expect(textOf(victim)).toMatch(/\$ after\n$/);
    expect(victim.size.cols).toBe(others.at(-1));
    expect(victim.faults).toBe(0);
  });

  it.each([
    [1, 'hi\n'],
    [2, ''],
  ])('[SEC8] has the new size even if xterm throws %i times, and then shows %j', (times, text) => {
    const victim = printed('hi\r\n', { cols: 80, rows: 24 });
    const { terminal } = victim.xterm;
    const resize = terminal.resize.bind(terminal);
    const thrown = vi.spyOn(terminal, 'resize');
    for (let time = 0; time < times; time++)
      thrown.mockImplementationOnce((cols, rows) => {
        resize(cols, rows);
        throw new Error('a defect');
      });
    victim.resize({ cols: 40, rows: 12 });
    expect(textOf(victim).trim()).toBe(text.trim());
    victim.write(bytesOf('x'.repeat(41)));
    expect([victim.size, textOf(victim)]).toEqual([
      { cols: 40, rows: 12 },
      expect.stringMatching(/x{41}\n$/),
    ]);
  });

  it('[SEC8] makes no more rows than it keeps, however long a line is', () => {
    const output = `${'0123456789'.repeat(5000)}\r\n$ `;
    const victim = printed(output, { cols: 100, rows: 20 }, 480);
    const { normal } = victim.xterm.core.buffers;
    const made = vi.spyOn(normal as unknown as { getBlankLine(): unknown }, 'getBlankLine');
    victim.resize({ cols: 2, rows: 20 });
    expect(made.mock.calls.length).toBeLessThan(600);
    // Nine of the old rows fit into the 480 of the new history.
    expect(textOf(victim)).toBe(`${'0123456789'.repeat(90)}\n$\n`);
  });

  it.each([{ cols: 20 }, { cols: 7 }, { cols: 79 }])(
    '[SEC8] has the same rows as if none had been removed first, in $cols columns',
    ({ cols }) => {
      const lines = Array.from({ length: 300 }, (_, n) => `${n} `.repeat(n % 40));
      const output = `${lines.join('\r\n')}\r\n$ ls`;
      const ours = printed(output, { cols: 80, rows: 10 }, 100);
      const xterm = printed(output, { cols: 80, rows: 10 }, 100);
      ours.resize({ cols, rows: 12 });
      xterm.xterm.terminal.resize(cols, 12);
      // The first line may be a part, and is cut elsewhere.
      const kept = textOf(ours).split('\n').slice(1);
      expect(kept).toEqual(textOf(xterm).split('\n').slice(-kept.length));
      expect(ours.xterm.core.buffers.normal.lines.length).toBeGreaterThan(100);
      expect(stateOf(ours, () => []).cursor).toEqual(stateOf(xterm, () => []).cursor);
    },
  );

  it('[SEC8] has no history on the alternate screen after the window was made lower', () => {
    const victim = terminal({ cols: 80, rows: 24 });
    victim.resize({ cols: 80, rows: 50 });
    victim.resize({ cols: 80, rows: 20 });
    victim.write(bytesOf(`\x1b[?1049h${'x\r\n'.repeat(60)}\x1b[H`));
    victim.resize({ cols: 80, rows: 50 });
    victim.write(bytesOf('\x1b[H\x1b[2Jtop\x1b[50;1Hbottom'));
    expect(victim.xterm.core.buffers.alt.ybase).toBe(0);
    expect(textOf(victim)).toBe(`top${'\n'.repeat(49)}bottom\n`);
  });

  it('[SEC8] has as many rows as the window, without a history', () => {
    const victim = printed(`${'a一'.repeat(6)}\x1b[5;1H`, { cols: 8, rows: 5 }, 0);
    victim.resize({ cols: 3, rows: 7 });
    victim.write(bytesOf('\x1b[H\x1b[2Jtop\x1b[7;1Hend'));
    expect(textOf(victim)).toBe(`top${'\n'.repeat(6)}end\n`);
  });
});
