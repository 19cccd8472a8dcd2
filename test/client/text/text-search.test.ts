/** Text in a program's output, split anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../client/text/pattern.ts';
import { TextSearch } from '../../../client/text/text-search.ts';
import { TerminalOutput } from '../../../worker/api/single-terminal/terminal-output.ts';
import { checkProperty } from '../../support/property.ts';

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

  it('[R2] a screen is searched in parts, wherever rows and parts end', () => {
    for (let blanks = 250; blanks < 260; blanks++) {
      const search = new TextSearch(new Pattern('first \\nsecond \\nthird'));
      const texts = [`${'x'.repeat(blanks)}\nfir`, 'st\nsecond', '\nthird\n'];
      for (const _ of search.screenPieces(texts));
      expect(search.found, `${blanks}`).toBe('third');
    }
  });

  it('[SEC21] [RL22] control characters and sequences cost more than text, because each is looked at for itself', () => {
    const cost = (text: string) => {
      const search = new TextSearch(Pattern.literal('needle'));
      search.output(bytes(text.repeat(1000)));
      return search.steps;
    };
    expect(cost('\x01')).toBeGreaterThan(10 * 1000);
    expect(cost('\x1b[m')).toBeGreaterThan(10 * 1000);
    expect(cost('x')).toBeLessThan(3 * 1000);
  });

  it('[SEC21] [RL22] every character of a screen costs something, also those that are not text', () => {
    const search = new TextSearch(Pattern.literal('needle'));
    search.screen('\x01'.repeat(1000));
    expect(search.steps).toBeGreaterThanOrEqual(1000);
  });
});

describe('the lines of a search', () => {
  /** The text that a search reads, by asking for every text that begins with what is known of it. */
  const finds = (output: string, source: string) => {
    const search = new TextSearch(new Pattern(source));
    search.output(bytes(output));
    return search.found !== undefined;
  };

  it.each([
    ['a\r\nb\r\n', '^a\\nb$'],
    ['a\n\rb', '^a\\nb$'],
    ['10%\r20%\r', '^10%\\n20%$'],
    ['10%\r\r\n20%', '^10%\\n20%$'],
    ['\x1b[1mbold\x1b[0m', '^bold$'],
    ['a\x1b[3Cb\x1b[10Gc', '^a b c$'],
    ['a\x1b[5;1Hb', '^a\\nb$'],
    ['\x1b]0;title\x07text', '^text$'],
  ])('[R2] %j is %j', (output, source) => {
    expect(finds(output, source)).toBe(true);
  });

  it('[R2] a carriage return that is cut from its line feed ends one line', () => {
    const search = new TextSearch(new Pattern('^a\\nb$'));
    for (const piece of ['a', '\r', '\n', 'b']) search.output(bytes(piece));
    expect(search.found).toBe('b');
  });

  it('[X3] are read in linear time, however many cursor movements follow a long line', () => {
    const search = new TextSearch(Pattern.literal('never'));
    search.output(bytes('a'.repeat(4 * 1024 * 1024)));
    // This would take hours if each movement looked for the beginning of its line.
    for (let times = 0; times < 16; times++) search.output(bytes('x\x1b[G'.repeat(16 * 1024)));
    // Few bytes may move far.
    search.output(bytes('\x1b[999C'.repeat(16 * 1024)));
    expect(search.found).toBe(undefined);
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
