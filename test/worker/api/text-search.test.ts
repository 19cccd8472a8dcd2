/** Text in a program's output, cut anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SequenceSplitter } from '../../../worker/api/escape-sequences.ts';
import { Pattern } from '../../../worker/api/pattern.ts';
import { TerminalOutput } from '../../../worker/api/terminal-output.ts';
import { TextSearch } from '../../../worker/api/text-search.ts';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** The same bytes in pieces that end wherever `cuts` say. */
function cut(all: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...cuts.map((one) => one % (all.length + 1)).sort((a, b) => a - b), all.length];
  return at.slice(1).map((end, i) => all.subarray(at[i], end));
}

describe('a search', () => {
  it('[R2] finds text through colours, titles and movements, wherever they are cut', () => {
    const output = bytes('\x1b]0;title\x07\x1b[1;32mbuild \x1b[0m\x1b[K#42\r\n\x1b[2;1Hnext \x1b(B漢字\n');
    fc.assert(
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

  it('[R2] tells the line it was found in, and of a long one the end', () => {
    const search = new TextSearch(Pattern.literal('needle'));
    search.output(bytes(`first\n${'x'.repeat(5000)}needle and more\n`));
    expect(search.found).toMatch(/^x{900,}needle$/);
    expect(search.found?.length).toBe(1000);
  });

  it('[R2] a screen has no blanks at the ends of its rows, and a prompt is found all the same', () => {
    const search = new TextSearch(Pattern.literal('$ '));
    search.screen('me@here:~$\n');
    expect(search.found).toBe('me@here:~$ ');
  });
});

describe('what a plain terminal is told', () => {
  const told = (pieces: readonly Uint8Array<ArrayBuffer>[]) => {
    const output = new TerminalOutput();
    return Buffer.concat(pieces.map((piece) => output.take(piece))).toString('latin1');
  };

  it.each([
    ['cursor position', '\x1b[6n'],
    ['status', '\x1b[5n'],
    ['attributes', '\x1b[c'],
    ['secondary attributes', '\x1b[>0c'],
    ['a mode', '\x1b[?2026$p'],
    ['a setting', '\x1bP$qm\x1b\\'],
    ['a colour', '\x1b]11;?\x07'],
    ['a palette entry', '\x1b]4;1;?\x1b\\'],
    ['the clipboard', '\x1b]52;c;?\x07'],
    ['the window', '\x1b[18t'],
    ['the keyboard', '\x1b[?u'],
    ['the version', '\x1b[>q'],
  ])('[P15] the question for %s is kept from it, wherever it is cut', (_, question) => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(told(cut(bytes(`before\x1b[31m${question}after`), cuts))).toBe('before\x1b[31mafter');
      }),
      { numRuns: 30 },
    );
  });

  it('[P15] everything else passes byte for byte, long sequences too', () => {
    const image = `\x1bPq${'#0~'.repeat(5000)}\x1b\\`;
    const all = `a\x1b[1mb\x1b]0;title\x07c\x1b]11;#ffffff\x07${image}\xff\xfe\0d\x1b[18;2Hx`;
    const raw = Uint8Array.from(all, (char) => char.charCodeAt(0));
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(told(cut(raw, cuts))).toBe(all);
      }),
      { numRuns: 30 },
    );
  });

  it('[P15] is not asked by a sequence that is too long to be seen whole', () => {
    expect(told([bytes(`x\x1b[${'0;'.repeat(4000)}c y`)])).toBe('x y');
  });
});

it('[R2] a sequence that is cancelled or cut off by another ends there', () => {
  const seen: string[] = [];
  const splitter = new SequenceSplitter({
    text: (text) => seen.push(text),
    sequence: (one) => seen.push(one),
  });
  splitter.write('a\x1b[3\x18b\x1b[1\x1b[2mc\x1b]0;t\x1b[3md');
  expect(seen).toEqual(['a', '\x1b[3\x18', 'b', '\x1b[2m', 'c', '\x1b[3m', 'd']);
});
