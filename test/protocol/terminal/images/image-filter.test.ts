/** Output for terminals of others: blank cells in place of images, and the rest where it belongs. */
import { describe, expect, it } from 'vitest';
import { Drawing } from '../../../../cli/attach/drawing.ts';
import { IMAGE_MAX_CHARS } from '../../../../protocol/limits.ts';
import { TerminalOutput } from '../../../../worker/api/single-terminal/terminal-output.ts';
import { png, pngHeader } from '../../../support/png.ts';
import { ansi, bytesOf, expectSame, terminal } from '../../../vm-agent/screen/terminal-state.ts';

const SIZE = { cols: 80, rows: 12 };

/** What a person's own terminal gets. */
function attached() {
  const drawing = new Drawing(() => SIZE);
  return (bytes: Uint8Array<ArrayBuffer>) => bytesOf(drawing.take(bytes));
}

/** What the terminal of another page gets. */
function plain() {
  const output = new TerminalOutput(SIZE);
  return (bytes: Uint8Array<ArrayBuffer>) => output.take(bytes);
}

function filtered(open: typeof attached, output: string, step = 1_000_000): string {
  const take = open();
  const bytes = new Uint8Array(bytesOf(output));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(take(bytes.subarray(at, at + step)));
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** The beginnings of images. */
const NEVER = ['1337', 'Holdfast', '\x1bP'];

const sixel = (width: number, height: number, more = '') => `\x1bPq"1;1;${width};${height}${more}\x1b\\`;
const file = (data: string, how = '') => `\x1b]1337;File=inline=1${how}:${data}\x07`;

describe('what attach gets', () => {
  it.each([
    { what: 'a sixel at the start of a row', output: `\r\n${sixel(200, 60)}x`, label: '[image 200×60]' },
    { what: 'a sixel that continues below', output: `\r\n${sixel(200, 60, '~-')}x`, label: '[image 200×60]' },
    { what: 'a file', output: `a\r\n${file(png(200, 50, [1, 2, 3]))}x`, label: '[image 200×50]' },
    {
      what: 'a file that is longer than a token',
      output: `\r\n${file(png(300, 80, [1, 2, 3]) + 'A'.repeat(20_000))}x`,
      label: '[image 300×80]',
    },
    { what: 'a narrow one, without words', output: `\r\n${sixel(30, 60)}x` },
    { what: 'one after text, without words', output: `text ${sixel(300, 60)}x` },
    {
      what: 'one that scrolls',
      output: `${'\r\n'.repeat(11)}\r\n${sixel(200, 100)}x`,
      label: '[image 200×100]',
    },
    { what: 'a download', output: `\r\n${file(pngHeader(9, 9)).replace('inline=1', 'inline=0')}x` },
    { what: 'one that is too wide', output: `\r\n${sixel(99_999, 10)}x` },
  ])('[T5] [OU14] has blank cells for $what', ({ output, label }) => {
    for (const step of [1_000_000, 1]) {
      const written = filtered(attached, output, step);
      expect(NEVER.filter((part) => written.includes(part))).toEqual([]);
      expect(written.includes('[image')).toBe(label !== undefined);
      const [here, there] = [terminal(SIZE), terminal(SIZE)];
      here.write(bytesOf(output));
      // The words are in cells that are blank in the agent's terminal.
      there.write(bytesOf(written.replace(label ?? '', ' '.repeat(label?.length ?? 0))));
      const erased = (emulator: typeof here) =>
        [...emulator.text.pieces('text', 'all')]
          .join('')
          .replace(/ *\[image.*| +$/gm, '')
          .trimEnd();
      expect(erased(there)).toBe(erased(here));
      const { x, y, ybase } = here.xterm.core.buffers.active;
      expect(there.xterm.core.buffers.active).toMatchObject({ x, y, ybase });
    }
  });

  it.each([
    { what: 'a sixel', output: `a${sixel(99, 99).slice(0, -2)}` },
    { what: 'a long sixel', output: `a\x1bPq${'~'.repeat(10_000)}` },
    { what: 'a file', output: `a${file(png(9, 9, [1, 2, 3])).slice(0, -1)}` },
    { what: 'a long file', output: `a${file('A'.repeat(10_000)).slice(0, -1)}` },
    { what: 'a cancelled one', output: `a\x1bPq${'~'.repeat(10_000)}\x18` },
    { what: 'one that is too long', output: `a\x1bPq"1;1;9;9${'~'.repeat(IMAGE_MAX_CHARS)}\x1b\\` },
  ])('[T5] [OU14] has nothing of $what without its end', ({ output }) => {
    expect(filtered(attached, output)).toBe('a');
  });
});

describe('the images in a snapshot', () => {
  it.each([
    { path: 'attach', open: attached },
    { path: '/terminal/ws', open: plain },
  ])('[T5] are not in what $path gets', ({ open }) => {
    const here = terminal(SIZE);
    here.write(bytesOf(`one\r\n${sixel(90, 40, '~'.repeat(9000))}two`));
    for (const step of [1_000_000, 100]) {
      const written = filtered(open, new TextDecoder().decode(ansi(here)), step);
      expect(NEVER.filter((part) => written.includes(part))).toEqual([]);
      const there = terminal(SIZE);
      there.restore(bytesOf(written));
      const without = terminal(SIZE);
      without.write(bytesOf('one\r\n\r\ntwo'));
      expectSame(there, without);
    }
  });
});
