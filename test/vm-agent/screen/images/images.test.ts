/** Images in the agent's terminal: the cells that they cover, and what of them a snapshot restores. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tileAt } from '../../../../protocol/terminal/images/tile.ts';
import type { Emulator } from '../../../../vm-agent/screen/emulator.ts';
import { png, pngHeader } from '../../../support/png.ts';
import { checkProperty } from '../../../support/property.ts';
import { image, program } from '../programs.ts';
import { ansi, bytesOf, expectSame, restored, terminal } from '../terminal-state.ts';

const SIZE = { cols: 12, rows: 6 };
const NOTHING = new Uint8Array(0);
/** 40 × 60 pixels: 4 columns and 3 rows. */
const SIXEL = '\x1bPq"1;1;40;60~\x1b\\';
const file = (data: string, how = '') => `\x1b]1337;File=inline=1${how}:${data}\x07`;

function printed(output: string, size = SIZE): Emulator {
  const emulator = terminal(size, 20);
  emulator.write(bytesOf(output));
  return emulator;
}

/** One string per row: where in its image a tile is, as `row,column`, or the text of the cells. */
function cells({ xterm: { core } }: Emulator): string[] {
  const { lines } = core.buffers.active;
  const rows = Array.from({ length: lines.length }, (_, row) => {
    const line = lines.get(row);
    const texts = Array.from({ length: core.cols }, (_, col) => {
      if (line === undefined) return '';
      const tile = tileAt(line, col);
      const code = (line._data[col * 3] ?? 0) & 0x1fffff;
      return tile === undefined ? (code === 0 ? '.' : String.fromCodePoint(code)) : `${tile.row}${tile.col} `;
    });
    return texts.join('').replace(/\.+$/, '');
  });
  return rows.join('\n').trimEnd().split('\n');
}

const cursor = ({ xterm }: Emulator) => {
  const { x, y, ybase } = xterm.core.buffers.active;
  return [x, ybase + y];
};

const WHOLE = ['00 01 02 03 ', '10 11 12 13 ', '20 21 22 23 '];

describe('an image', () => {
  it.each([
    { what: 'a sixel image, with the cursor in its last row', output: SIXEL, rows: WHOLE, at: [0, 2] },
    {
      what: 'one that ends with a new band, with the cursor below',
      output: '\x1bPq"1;1;40;60~-\x1b\\',
      rows: WHOLE,
      at: [0, 3],
    },
    { what: 'one that does not tell its size', output: '\x1bPq!11~-~\x1b\\', rows: ['00 01 '], at: [0, 0] },
    { what: 'a file, with the cursor after it', output: file(pngHeader(40, 60)), rows: WHOLE, at: [4, 2] },
    {
      what: 'a file of another size',
      output: file(pngHeader(400, 600), ';height=2'),
      rows: ['00 01 02 ', '10 11 12 '],
      at: [3, 1],
    },
    {
      what: 'one after text, which it covers',
      output: `abc\rdefghijkl\x1b[3G${'\x1bPq"1;1;20;20~\x1b\\'}`,
      rows: ['de00 01 hijkl'],
      at: [2, 0],
    },
    {
      what: 'one at the right edge, which is cut',
      output: `\x1b[11G${SIXEL}`,
      rows: ['..........00 01', '..........10 11', '..........20 21'],
      at: [10, 2],
    },
    {
      what: 'half of a wide character, of which nothing is left',
      output: `界\x1b[2G${'\x1bPq"1;1;10;20~\x1b\\'}`,
      rows: ['.00 '],
      at: [1, 0],
    },
    {
      what: 'a file at the right edge',
      output: `\x1b[11G${file(pngHeader(40, 20))}`,
      rows: ['..........00 01'],
      at: [11, 0],
    },
  ])('[T5] [OU22] covers the cells of $what', ({ output, rows, at }) => {
    const emulator = printed(output);
    expect(cells(emulator).map((row) => row.trimEnd())).toEqual(rows.map((row) => row.trimEnd()));
    expect(cursor(emulator)).toEqual(at);
    expectSame(restored(emulator, NOTHING), emulator);
  });

  it.each([
    { what: 'text over it', after: '\x1b[2;2Hxy', rows: [WHOLE[0], '10 xy13 ', WHOLE[2]] },
    { what: 'an erased row', after: '\x1b[2H\x1b[2K', rows: [WHOLE[0], '', WHOLE[2]] },
    {
      what: 'an erased row with a colour',
      after: '\x1b[44m\x1b[2H\x1b[2K\x1b[m',
      rows: [WHOLE[0], '', WHOLE[2]],
    },
    { what: 'a line between', after: '\x1b[2H\x1b[L', rows: [WHOLE[0], '', WHOLE[1], WHOLE[2]] },
    { what: 'a line less', after: '\x1b[2H\x1b[M', rows: [WHOLE[0], WHOLE[2]] },
    { what: 'cells between', after: '\x1b[H\x1b[2@', rows: ['..00 01 02 03 ', WHOLE[1], WHOLE[2]] },
    { what: 'cells less', after: '\x1b[H\x1b[2P', rows: ['02 03 ', WHOLE[1], WHOLE[2]] },
    {
      what: 'another image over it',
      after: '\x1b[1;3H\x1bPq~\x1b\\',
      rows: ['00 01 00 03 ', WHOLE[1], WHOLE[2]],
    },
    { what: 'its first row in the history', after: '\x1b[6H\n\n', rows: WHOLE },
    { what: 'a region that scrolls', after: '\x1b[2;4r\x1b[4H\n\x1b[r', rows: [WHOLE[0], WHOLE[2]] },
    { what: 'the alternate screen', after: `\x1b[?1049h\x1b[H${SIXEL}`, rows: WHOLE },
    { what: 'the alternate screen, left again', after: `\x1b[?1049h${SIXEL}\x1b[?1049l`, rows: WHOLE },
    { what: 'a reset', after: '\x1bc', rows: [''] },
  ])('[T5] [OU22] is restored with $what', ({ after, rows }) => {
    const emulator = printed(`${SIXEL}${after}`);
    expect(cells(emulator).map((row) => row.trimEnd())).toEqual(rows.map((row) => row?.trimEnd()));
    const copy = restored(emulator, NOTHING);
    expectSame(copy, emulator);
    expect(ansi(copy)).toEqual(ansi(emulator));
  });

  it('[T5] is restored where the cursor waits behind it', () => {
    const emulator = printed(`\x1b[2;11H${'\x1bPq"1;1;20;20~\x1b\\'}\x1b[H${'x'.repeat(12)}\x1b[S`);
    expect(cells(emulator)).toEqual(['..........00 01']);
    expect(cursor(emulator)).toEqual([12, 0]);
    const copy = restored(emulator, NOTHING);
    for (const each of [emulator, copy]) each.write(bytesOf('y'));
    expectSame(copy, emulator);
  });

  it('[T5] is one image in a snapshot, however often it was printed over', () => {
    const emulator = printed(`${`\x1b[H${SIXEL}`.repeat(50)}`);
    const parts = Buffer.from(ansi(emulator)).toString().split('\x1b]1337;');
    expect(parts.filter((part) => part.startsWith('HoldfastImage'))).toHaveLength(1);
    // Nor is anything painted below it.
    expect(parts.join('')).not.toContain('\u4e00');
  });

  it('[T5] is not in a snapshot of the screen when it has scrolled away', () => {
    const emulator = printed(`${SIXEL}${'\r\n'.repeat(9)}`);
    expect(Buffer.from(ansi(emulator, 'screen')).toString()).not.toContain('Holdfast');
    expect(Buffer.from(ansi(emulator, 'all')).toString()).toContain('Holdfast');
  });

  it('[T5] has its size in words in text and HTML, and nothing else', () => {
    const wide = printed(`a\r\n\x1bPq"1;1;200;40~-\x1b\\b${file(png(30, 20, [9, 9, 9]))}c`, {
      cols: 30,
      rows: 6,
    });
    const text = (format: 'text' | 'html') => [...wide.text.pieces(format, 'all')].join('');
    expect(text('text')).toBe('a\n[image 200×40]\n\nb[image 30×20]c\n');
    expect(text('html').replace(/<[^>]*>/g, '')).toBe('a\n[image 200×40]\n\nb[image 30×20]c\n\n\n');
  });
});

describe('a restored terminal with images', () => {
  it('[R1] [T5] equals the original, at once, in other sizes, and after the rest', () => {
    const output = fc
      .array(
        fc.oneof(
          { weight: 3, arbitrary: image },
          {
            weight: 2,
            arbitrary: fc.constantFrom(
              'text',
              '\r\n',
              '\n',
              '\r\n\r\n\r\n',
              '\x1b[H',
              '\x1b[3;4H',
              '界',
              '\x1b[7;31m',
            ),
          },
          {
            weight: 2,
            arbitrary: fc.constantFrom(
              '\x1b[2L',
              '\x1b[M',
              '\x1b[3P',
              '\x1b[2@',
              '\x1b[S',
              '\x1b[T',
              '\x1b[2;5r',
              '\x1b[r',
              '\x1b[K',
              '\x1b[1J',
              '\x1b[?1049h',
              '\x1b[?1049l',
              '\x1b[4h',
              '\x1b[4l',
            ),
          },
        ),
        { maxLength: 25 },
      )
      .map((tokens) => bytesOf(tokens.join('')));
    checkProperty(
      'imaged-terminal',
      fc.property(
        program,
        output,
        fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 10 }) }),
        ({ size, scrollback, at }, bytes, to) => {
          const cut = Math.floor(at * bytes.length);
          const witness = terminal(size, scrollback);
          witness.write(bytes.subarray(0, cut));
          const copy = restored(witness, bytes.subarray(cut - witness.heldBytes, cut), scrollback);
          expectSame(copy, witness);
          // Cells beyond the edge of a narrowed alternate screen are not restored.
          const { buffers } = witness.xterm.core;
          const next = buffers.active === buffers.alt ? size : to;
          for (const each of [witness, copy]) each.resize(next);
          expectSame(copy, witness, 'resized');
          for (const each of [witness, copy]) each.write(bytes.subarray(cut));
          expectSame(copy, witness, 'after the rest');
          expect(witness.faults).toBe(0);
        },
      ),
      { numRuns: 400 },
    );
  });
});
