/** The colours of a person's own terminal: they are queried, and the answers are not typed into the session. */
import { describe, expect, it } from 'vitest';
import { ANSWERS_WITHIN_MS, HELD_MS, OwnColours, QUESTIONS } from '../../../cli/attach/own-colours.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const FOREGROUND = '\x1b]10;rgb:eeee/eeee/eeee\x1b\\';
const BACKGROUND = '\x1b]11;rgb:1111/2222/3333\x07';
const KIND = '\x1b[?62;22c';
const THEME = { foreground: '#eeeeee', background: '#112233' };

function story(isAsked = true) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const themes: object[] = [];
  const keys: string[] = [];
  const colours = new OwnColours({
    clock,
    ask: (questions) => asked.push(questions),
    typed: (bytes) => keys.push(Buffer.from(bytes).toString('latin1')),
    known: (theme) => themes.push(theme),
  });
  if (isAsked) colours.ask();
  const reads = (text: string) => colours.read(Buffer.from(text, 'latin1'));
  return { asked, clock, colours, keys, reads, themes, typed: () => keys.join('') };
}

describe("a terminal's own colours", () => {
  it('[OU18] are queried once, and reported when they are known', () => {
    const { asked, reads, themes, typed } = story();
    expect(asked).toEqual([QUESTIONS]);
    reads(FOREGROUND + BACKGROUND + KIND);
    expect(themes).toEqual([THEME]);
    expect(typed()).toBe('');
  });

  it.each([
    ['rgb:ffff/8080/0000', '#ff8000'],
    ['rgb:ff/80/00', '#ff8000'],
    ['rgb:f/8/0', '#ff8800'],
    ['rgba:1212/3434/5656/ffff', '#123456'],
  ])('[OU18] are parsed as %s', (written, background) => {
    const { reads, themes } = story();
    reads(`\x1b]11;${written}\x1b\\`);
    expect(themes).toEqual([{ background }]);
  });

  it('[OU18] that cannot be parsed are ignored and not typed', () => {
    const { reads, themes, typed } = story();
    reads('\x1b]11;papayawhip\x1b\\x');
    expect([themes, typed()]).toEqual([[], 'x']);
  });

  it('[OU14] answers are removed from between the keys, wherever they are split', () => {
    const whole = `a${FOREGROUND}\x1b[A${BACKGROUND}b${KIND}\x1bOPc`;
    for (let first = 0; first < whole.length; first++) {
      for (let second = first; second < whole.length; second++) {
        const { reads, themes, typed } = story();
        for (const part of [whole.slice(0, first), whole.slice(first, second), whole.slice(second)])
          reads(part);
        expect([typed(), themes.at(-1)]).toEqual(['a\x1b[Ab\x1bOPc', THEME]);
      }
    }
  });

  it('[OU14] an answer is removed however late it arrives, and its colours are reported then', () => {
    const { clock, reads, themes, typed } = story();
    clock.advance(100 * ANSWERS_WITHIN_MS);
    reads('x');
    reads(BACKGROUND.slice(0, 9));
    reads(`${BACKGROUND.slice(9)}y`);
    expect([typed(), themes]).toEqual(['xy', [{ background: '#112233' }]]);
  });

  it('[OU14] a sequence that answers no query is typed', () => {
    const { reads, typed } = story();
    reads(FOREGROUND + FOREGROUND);
    expect(typed()).toBe(FOREGROUND);
    const unasked = story(false);
    unasked.reads(BACKGROUND + KIND);
    expect(unasked.typed()).toBe(BACKGROUND + KIND);
  });

  it('[IN1] Escape is held back only briefly, and not at all once the terminal has had its time', () => {
    const { clock, keys, reads } = story();
    reads('\x1b');
    expect(keys).toEqual([]);
    clock.advance(HELD_MS);
    expect(keys).toEqual(['\x1b']);
    clock.advance(ANSWERS_WITHIN_MS);
    reads('\x1b');
    expect(keys).toEqual(['\x1b', '\x1b']);
  });

  it('[IN1] bytes that are not text are typed unchanged', () => {
    const { reads, typed } = story();
    const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
    reads(`${bytes}.`);
    expect(typed()).toBe(`${bytes}.`);
  });

  it.each([
    ['its kind, which comes last', KIND],
    ['both colours and its kind', FOREGROUND + BACKGROUND + KIND],
  ])('detaching waits until the terminal has reported %s', async (_, answers) => {
    const { clock, colours, reads } = story();
    const left = colours.settled();
    reads(answers);
    await left;
    expect(clock.pending).toBe(0);
  });

  it('or until a timeout; and not at all if nothing was queried', async () => {
    const { clock, colours } = story();
    const left = colours.settled();
    clock.advance(ANSWERS_WITHIN_MS);
    await left;
    await story(false).colours.settled();
  });
});
