/** What a terminal reports by itself is no key. */
import { describe, expect, it } from 'vitest';
import { isReport } from '../../../vm-agent/keyboard/is-report.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('[A3] [AS4] input', () => {
  it.each([
    ['nothing', ''],
    ['a mouse key', '\x1b[<0;10;5M'],
    ['its release', '\x1b[<0;10;5m'],
    ['a movement in pixels', '\x1b[<35;1024;768M'],
    ['an old mouse key', '\x1b[M !!'],
    ['an old mouse key far away', '\x1b[M\x20\xff\xff'],
    ['a mouse key of urxvt', '\x1b[32;10;5M'],
    ['the focus gained', '\x1b[I'],
    ['the focus lost', '\x1b[O'],
    ['a size', '\x1b[48;24;80;480;800t'],
    ['several of them', '\x1b[O\x1b[I\x1b[<35;1;1M\x1b[<35;2;1M'],
  ])('is a report: %s', (_, text) => {
    expect(isReport(bytes(text))).toBe(true);
  });

  it.each([
    ['a letter', 'a'],
    ['Enter', '\r'],
    ['Escape', '\x1b'],
    ['an arrow', '\x1b[A'],
    ['an arrow of an application', '\x1bOA'],
    ['F3', '\x1bOR'],
    ['Alt and a letter', '\x1bI'],
    ['a paste', '\x1b[200~\x1b[I\x1b[201~'],
    ['a report and a letter', '\x1b[Ia'],
    ['a letter and a report', 'a\x1b[I'],
    ['part of a report', '\x1b[<0;10;5'],
    ['part of an old one', '\x1b[M !'],
    ['a number of too many digits', '\x1b[<1234567;1;1M'],
    ['Shift+Tab', '\x1b[Z'],
    ['a key in the form of kitty', '\x1b[97;5u'],
  ])('is a key: %s', (_, text) => {
    expect(isReport(bytes(text))).toBe(false);
  });

  it('is a key if it is longer than reports are, which bounds the work', () => {
    expect(isReport(bytes('\x1b[I'.repeat(170)))).toBe(true);
    expect(isReport(bytes('\x1b[I'.repeat(171)))).toBe(false);
  });

  it('is looked at where it is in a larger buffer', () => {
    expect(isReport(bytes('x\x1b[Iy').subarray(1, 4))).toBe(true);
  });
});
