/** Rows share slabs of memory, without a visible effect. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createXterm } from '../../../../vm-agent/screen/xterm/create-xterm.ts';
import { SLAB_BYTES } from '../../../../vm-agent/screen/xterm/line-slabs.ts';
import type { XtermCore, XtermLine } from '../../../../vm-agent/screen/xterm/xterm.ts';
import { bytesOf } from '../terminal-state.ts';

function open(cols = 10, rows = 4, scrollback = 500) {
  const { terminal, core } = createXterm({ cols, rows }, scrollback);
  return { terminal, core, print: (text: string) => core._inputHandler.parse(bytesOf(text)) };
}

const buffersOf = (core: XtermCore) => {
  const { lines } = core.buffers.normal;
  return Array.from({ length: lines.length }, (_, row) => lines.get(row)?._data.buffer);
};

const textOf = (core: XtermCore) => {
  const { lines } = core.buffers.normal;
  return Array.from({ length: lines.length }, (_, row) =>
    String.fromCharCode(
      ...(lines.get(row)?._data.filter((_word, i) => i % 3 === 0) ?? []).map((w) => w & 0x1fffff || 46),
    ),
  );
};

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `\r\nline ${n}`).join('');

describe('rows in slabs', () => {
  // The first terminal of a process has its first rows before they can be replaced.
  beforeAll(() => void open());

  it('[R1] store a history in a few arrays instead of one per row', () => {
    const { core, print } = open();
    print(numbered(400));
    const buffers = new Set(buffersOf(core));
    expect(buffers.size).toBe(1);
    expect([...buffers].map((buffer) => buffer?.byteLength)).toEqual([SLAB_BYTES]);
  });

  it('[R1] share none between terminals, nor between the two buffers of one', () => {
    const [one, other] = [open(), open()];
    one.print(`${numbered(9)}\x1b[?1049hx`);
    other.print(numbered(9));
    const { normal, alt } = one.core.buffers;
    const arrays = [normal, alt, other.core.buffers.normal].map(({ lines }) => lines.get(0)?._data.buffer);
    expect(new Set(arrays).size).toBe(3);
  });

  it.each([
    { way: 'by the whole screen', region: '' },
    { way: 'above a fixed last row', region: '\x1b[1;3r' },
    { way: 'below a fixed first row', region: '\x1b[2;4r' },
  ])('[R1] write to one row only, after scrolling $way', ({ region }) => {
    const { core, print } = open();
    print(`a\r\nb\r\nc\r\nd${region}\x1b[3;1H`);
    const before = textOf(core);
    print('\n\n\n\rX\n\rY');
    const after = textOf(core);
    expect(after.filter((row) => row.startsWith('X'))).toHaveLength(1);
    expect(after.filter((row) => row.startsWith('Y'))).toHaveLength(1);
    const others = after.filter((row) => !/^[XY]/.test(row) && row !== '..........');
    expect(before).toEqual(expect.arrayContaining(others));
  });

  it('[R1] do not change their neighbours when rows grow and shrink', () => {
    const { terminal, core, print } = open(10, 4, 500);
    print('\x1b[?7l'); // rows that do not wrap, hence no reflow that would make new ones
    print(numbered(50));
    const before = textOf(core);
    terminal.resize(6, 4);
    terminal.resize(14, 4);
    print('\x1b[H0123456789abcd');
    const after = textOf(core);
    expect(after[after.length - 4]).toBe('0123456789abcd');
    expect(after.length).toBe(before.length);
    expect(after.slice(1, 40)).toEqual(before.slice(1, 40).map((row) => row.padEnd(14, '.')));
  });

  it('[R7] take from slabs only what the history grows by', () => {
    const { core, print } = open(10, 4, 500);
    print('\x1b[2;4r\x1b[4;1H');
    const first = buffersOf(core)[1];
    print('\n'.repeat(10));
    expect(first?.byteLength).toBe(SLAB_BYTES);
    expect(
      buffersOf(core)
        .slice(1)
        .map((buffer) => buffer?.byteLength),
    ).toEqual([120, 120, 120]);
  });

  it('[R1] stay in their slab when xterm compacts after a resize', () => {
    const { terminal, core } = open();
    terminal.resize(6, 4);
    const line = core.buffers.normal.lines.get(0) as XtermLine & { cleanupMemory(): number };
    expect(line.cleanupMemory()).toBe(0);
    expect(line._data.buffer.byteLength).toBe(SLAB_BYTES);
  });
});
