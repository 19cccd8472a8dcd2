/** Selecting and scrolling by touch and wheel, without a page. */
import { describe, expect, it } from 'vitest';
import { extended, withEnd, wordAround } from '../../../../web/ui/terminal/cell-range.ts';
import { WheelLines, type WheelTurn } from '../../../../web/ui/terminal/wheel-lines.ts';

describe('[U13] the word around a cell', () => {
  const SEPARATORS = ' ()\'"';
  const cells = (text: string) => [...text];

  it.each([
    { name: 'is the text between separators', text: 'ls (/etc/hosts) x', at: 8, word: '/etc/hosts' },
    { name: 'begins at the first cell', text: 'make test', at: 0, word: 'make' },
    { name: 'ends at the last cell', text: 'make test', at: 8, word: 'test' },
    { name: 'is one cell if there is no word', text: 'a  b', at: 1, word: ' ' },
  ])('$name', ({ text, at, word }) => {
    const { start, end } = wordAround(cells(text), at, SEPARATORS);
    expect(text.slice(start, end)).toBe(word);
  });

  it('includes both halves of wide characters', () => {
    expect(wordAround(['a', '漢', '漢', '字', '字', ' '], 2, SEPARATORS)).toEqual({ start: 0, end: 5 });
  });
});

describe('[U13] a selection', () => {
  const range = { start: 10, end: 15 };

  it('grows towards the finger, and always includes the first word', () => {
    expect(extended(range, 3)).toEqual({ start: 3, end: 15 });
    expect(extended(range, 40)).toEqual({ start: 10, end: 41 });
    expect(extended(range, 12)).toEqual(range);
  });

  it('is changed by its handles, and keeps at least one cell', () => {
    expect(withEnd(range, 'start', 4)).toEqual({ start: 4, end: 15 });
    expect(withEnd(range, 'start', 99)).toEqual({ start: 14, end: 15 });
    expect(withEnd(range, 'start', -5)).toEqual({ start: 0, end: 15 });
    expect(withEnd(range, 'end', 30)).toEqual({ start: 10, end: 30 });
    expect(withEnd(range, 'end', 2)).toEqual({ start: 10, end: 11 });
  });
});

describe('[U18] a turn of the wheel', () => {
  const GRID = { cellHeight: 20, rows: 24 };
  const lines = (...turns: Partial<WheelTurn>[]) => {
    const wheel = new WheelLines();
    return turns.map((turn) => wheel.take({ deltaY: 0, deltaMode: 0, isExact: false, ...turn }, GRID));
  };

  it.each([
    { name: 'Chromium', turn: { deltaY: 100 }, is: 3 },
    { name: 'Chromium, upwards', turn: { deltaY: -120 }, is: -3 },
    { name: 'Chromium on a small scale', turn: { deltaY: 53 }, is: 3 },
    { name: 'two notches in one event', turn: { deltaY: 200 }, is: 6 },
    { name: 'Firefox, in lines', turn: { deltaY: 3, deltaMode: 1 }, is: 3 },
    { name: 'in pages', turn: { deltaY: 1, deltaMode: 2 }, is: 24 },
  ])('is three lines a notch: $name', ({ turn, is }) => {
    expect(lines(turn)).toEqual([is]);
  });

  it('of a touchpad moves as far as the fingers, and keeps fractions of a line', () => {
    expect(lines(...Array.from({ length: 8 }, () => ({ deltaY: 5 })))).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
    expect(lines({ deltaY: 15 }, { deltaY: -15 }, { deltaY: -5 })).toEqual([0, 0, -1]);
  });

  it('of a finger on the screen moves as far as the finger, however fast', () => {
    expect(lines({ deltaY: 90, isExact: true }, { deltaY: 10, isExact: true })).toEqual([4, 1]);
  });
});
