/** The agent's terminal measures text as programs do, and a restored one has the same cells. */
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { OLD_WIDTHS } from '../../../protocol/terminal/width/old-widths.ts';
import { CLUSTERS, CODE_POINTS } from '../../../protocol/terminal/width/width-model.ts';
import { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { CHARACTERS, EMOJI, WORDS } from '../../protocol/terminal/width/measured-texts.ts';
import { ansi, bytesOf, expectSame } from './terminal-state.ts';

const SIZE = { cols: 40, rows: 50 };

/** A terminal, and what it has answered. */
function screen(widths?: string) {
  const answers: string[] = [];
  const events = {
    answer: (text: string) => answers.push(text),
    report() {},
    title() {},
    progress() {},
    cwd() {},
    bell() {},
  };
  const emulator = new Emulator({ size: SIZE, scrollbackLines: 100, widths, events });
  const prints = (text: string) => {
    emulator.write(bytesOf(text));
    return emulator.xterm.core.buffers.active.x;
  };
  return { emulator, prints, answers };
}

/** The texts after which the cursor is not where string-width says. Each begins a line behind a bar. */
function misplaced(texts: readonly string[]): string[] {
  const { prints } = screen();
  return texts.filter((text) => prints(`\r\x1b[K|${text}`) !== stringWidth(`|${text}`));
}

/** Prints the texts below each other, and expects the same cells in a terminal that is given the snapshot. */
function expectRestored(texts: readonly string[], widths?: string): void {
  for (let from = 0; from < texts.length; from += SIZE.rows) {
    const { emulator, prints } = screen(widths);
    prints(`\x1b[m${texts.slice(from, from + SIZE.rows).join('|\r\n')}`);
    const copy = screen(widths);
    copy.emulator.restore(ansi(emulator));
    expectSame(copy.emulator, emulator, `from ${from}`);
  }
}

describe('[T1] text in the terminal', () => {
  it('has the width of string-width: all emoji', () => {
    expect(misplaced(EMOJI)).toEqual([]);
  });

  it('has the width of string-width: words of many scripts', () => {
    expect(misplaced(Object.values(WORDS).flat())).toEqual([]);
  });

  it.each([CLUSTERS.version, CODE_POINTS.version, OLD_WIDTHS])(
    'is restored with the same cells: %s',
    (widths) => {
      expectRestored(EMOJI, widths);
      expectRestored(Object.values(WORDS).flat(), widths);
      expectRestored(CHARACTERS.slice(0, 3000), widths);
    },
  );
});

describe('[T1] mode 2027', () => {
  it('is set at first, and answered so', () => {
    const { prints, answers } = screen();
    expect(prints('👩‍🚀')).toBe(2);
    prints('\x1b[?2027$p');
    expect(answers).toEqual(['\x1b[?2027;1$y']);
  });

  it('is turned off and on by a program', () => {
    const { prints, answers } = screen();
    expect(prints('\x1b[?2027l👩‍🚀')).toBe(4);
    expect(prints('\x1b[?2027$p\r\x1b[?25;2027h👩‍🚀')).toBe(2);
    prints('\x1b[?2027$p');
    expect(answers).toEqual(['\x1b[?2027;2$y', '\x1b[?2027;1$y']);
  });

  it.each(['\x1b[!p', '\x1bc'])('is set again by a reset: %j', (reset) => {
    const { prints } = screen();
    expect(prints(`\x1b[?2027l${reset}\r👩‍🚀`)).toBe(2);
  });

  it('is not set by a reset of a session that began without it', () => {
    const { prints, answers } = screen(CODE_POINTS.version);
    expect(prints('\x1b[?2027h\x1b[!p\r👩‍🚀')).toBe(4);
    prints('\x1b[?2027$p');
    expect(answers).toEqual(['\x1b[?2027;2$y']);
  });

  it('is unknown to a session with the old tables', () => {
    const { prints, answers } = screen(OLD_WIDTHS);
    expect(prints('\x1b[?2027h👩')).toBe(1);
    prints('\x1b[?2027$p');
    expect(answers).toEqual(['\x1b[?2027;0$y']);
  });

  it('survives a restore', () => {
    const { emulator, prints } = screen();
    prints('👩‍🚀\x1b[?2027l👩‍🚀');
    const copy = screen();
    copy.emulator.restore(ansi(emulator));
    expectSame(copy.emulator, emulator);
    expect(copy.prints('\r👩‍🚀')).toBe(4);
  });

  it('of an unknown, newer version is taken for the newest that is known', () => {
    expect(screen('18-clusters').prints('👩‍🚀')).toBe(2);
  });
});

describe('[T1] a mark that follows no character', () => {
  it.each([
    ['at the beginning of a line', '\u0301'],
    ['behind an empty cell', '\x1b[5G\u0301'],
    ['on the second half of a wide character', '漢\x1b[2G\u0301'],
  ])('is dropped and does not move the cursor: %s', (_where, output) => {
    const { prints } = screen();
    const before = prints(output.slice(0, -1));
    expect(prints('\u0301')).toBe(before);
  });

  it('joins the character on the left of the cursor', () => {
    const { emulator, prints } = screen();
    prints('e\x1b[m\u0301');
    expect([...emulator.text.pieces('text', 'screen')].join('')).toContain('e\u0301');
  });
});
