/** Text in a program's output, split anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../../worker/api/search/pattern.ts';
import { TextSearch } from '../../../../worker/api/search/text-search.ts';
import { TerminalOutput } from '../../../../worker/api/single-terminal/terminal-output.ts';
import { checkProperty } from '../../../support/property.ts';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** The same bytes, split where `cuts` say. */
function cut(all: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...cuts.map((one) => one % (all.length + 1)).sort((a, b) => a - b), all.length];
  return at.slice(1).map((end, i) => all.subarray(at[i], end));
}

describe('a text search', () => {
  it('[R2] finds text across colours, titles and movements, wherever they are split', () => {
    const output = bytes('\x1b]0;title\x07\x1b[1;32mbuild \x1b[0m\x1b[K#42\r\n\x1b[2;1Hnext \x1b(B漢字\n');
    checkProperty(
      'text-search',
      fc.property(fc.array(fc.nat()), (cuts) => {
        for (const [source, line] of [
          ['^build #\\d\\d', 'build #42'],
          ['^next 漢字', 'next 漢字'],
        ] as const) {
          const search = new TextSearch(new Pattern(source));
          for (const piece of cut(output, cuts)) search.output(piece);
          expect(search.found).toBe(line);
        }
        const none = new TextSearch(Pattern.literal('title'));
        for (const piece of cut(output, cuts)) none.output(piece);
        expect(none.found).toBeUndefined();
      }),
    );
  });

  it('[X15] finds text across C1 controls, controls inside sequences and strings that contain BEL', () => {
    const search = new TextSearch(new Pattern('^build #42'));
    search.output(bytes('\u009d0;title\u009cbu\u009b1mild\x1b[\x011m \x1bPq\x07build #\x1b\\#42'));
    expect(search.found).toBe('build #42');
  });

  it('[R2] returns the matching line, or the end of a long one', () => {
    const search = new TextSearch(Pattern.literal('needle'));
    search.output(bytes(`first\n${'x'.repeat(5000)}needle and more\n`));
    expect(search.found).toMatch(/^x{900,}needle$/);
    expect(search.found?.length).toBe(1000);
  });

  it('[R2] a screen has no trailing blanks in its rows, and a prompt is still found', () => {
    const search = new TextSearch(Pattern.literal('$ '));
    search.screen('me@here:~$\n');
    expect(search.found).toBe('me@here:~$ ');
  });
});

describe('output for a plain terminal', () => {
  const told = (pieces: readonly Uint8Array<ArrayBuffer>[]) => {
    const output = new TerminalOutput({ cols: 80, rows: 24 });
    return Buffer.concat(pieces.map((piece) => output.take(piece))).toString();
  };

  it('[P15] passes byte for byte except queries, even long sequences', () => {
    const image = `\x1bPq${'#0~'.repeat(5000)}\x1b\\`;
    const all = `a\x1b[1mb\x1b]0;title\x07c\x1b]11;#ffffff\x07${image}漢字\0d\x1b[18;2Hx`;
    const raw = bytes(all);
    checkProperty(
      'terminal-output',
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(told(cut(raw, cuts))).toBe(all);
      }),
      { numRuns: 30 },
    );
  });
});
