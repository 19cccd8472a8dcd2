/** What programs are told about the terminal's modes, its colour scheme and its size. */
import { describe, expect, it } from 'vitest';
import { PROGRAM_RESET } from '../../../protocol/terminal/divider.ts';
import { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { world } from './screens.ts';
import { ansi, bytesOf } from './terminal-state.ts';

const DARK = { foreground: '#eeeeee', background: '#111111' };
const LIGHT = { foreground: '#222222', background: '#fafafa' };
const SIZE = { cols: 80, rows: 24 };

/** A terminal, and what it told its program. */
function screen() {
  const told: string[] = [];
  const tell = (text: string) => void told.push(text.replace('\x1b', 'ESC '));
  const events = { answer: tell, report: tell, title() {}, progress() {}, cwd() {}, bell() {} };
  const emulator = new Emulator({ size: SIZE, scrollbackLines: 0, theme: DARK, events });
  return { emulator, told, prints: (text: string) => void emulator.write(bytesOf(text)) };
}

const SET = 1;
const RESET = 2;
const ALWAYS_SET = 3;
const NEVER_SET = 4;
const UNKNOWN = 0;

/** The answers of a new terminal, after the mode is set, and after it is reset. */
const switched = (first: number) => [first, SET, RESET];
const fixed = (answer: number) => [answer, answer, answer];

const PRIVATE_MODES: Readonly<Record<number, readonly number[]>> = {
  1: switched(RESET), // cursor keys of an application
  3: fixed(UNKNOWN), // 132 columns: only the window decides about the size
  5: fixed(UNKNOWN), // reverse video
  6: switched(RESET), // origin
  7: switched(SET), // wrap-around
  8: fixed(ALWAYS_SET), // keys repeat
  9: switched(RESET), // mouse reports
  12: switched(RESET), // blinking cursor
  25: switched(SET), // visible cursor
  45: switched(RESET), // wrap-around backwards
  47: switched(RESET), // alternate screen
  66: switched(RESET), // keypad of an application
  67: fixed(NEVER_SET), // the backspace key sends DEL
  1000: switched(RESET),
  1002: switched(RESET),
  1003: switched(RESET),
  1004: switched(RESET), // focus reports
  1005: fixed(NEVER_SET),
  1006: switched(RESET),
  1015: fixed(NEVER_SET),
  1016: switched(RESET),
  1047: switched(RESET),
  1048: fixed(SET), // it saves the cursor and is no state; every terminal answers so
  1049: switched(RESET),
  2004: switched(RESET), // bracketed paste
  2026: switched(RESET), // synchronised output
  2027: switched(SET), // text is measured by clusters
  2031: switched(RESET), // reports of the colour scheme
  2048: switched(RESET), // reports of the size
  9999: fixed(UNKNOWN),
};

const ANSI_MODES: Readonly<Record<number, readonly number[]>> = {
  2: fixed(NEVER_SET), // locked keyboard
  4: switched(RESET), // insert
  12: fixed(ALWAYS_SET), // no local echo
  20: switched(RESET), // a line feed returns the carriage
  99: fixed(UNKNOWN),
};

/** What a terminal answers about a mode at first, when it is set, and when it is reset. */
function answersAbout(mode: string, prefix: string): number[] {
  const { prints, told } = screen();
  const ask = `\x1b[${prefix}${mode}$p`;
  for (const change of ['', `\x1b[${prefix}${mode}h`, `\x1b[${prefix}${mode}l`]) prints(change + ask);
  const answer = new RegExp(`^ESC \\[${prefix === '' ? '' : '\\?'}${mode};(\\d)\\$y$`);
  return told.flatMap((text) => answer.exec(text)?.[1] ?? []).map(Number);
}

describe('[T6] a program that asks about a mode', () => {
  it.each(Object.entries(PRIVATE_MODES))('learns its state: private mode %s', (mode, answers) => {
    expect(answersAbout(mode, '?')).toEqual(answers);
  });

  it.each(Object.entries(ANSI_MODES))('learns its state: ANSI mode %s', (mode, answers) => {
    expect(answersAbout(mode, '')).toEqual(answers);
  });

  it('learns that the cursor blinks by its style, whatever mode 12 was set to', () => {
    const { prints, told } = screen();
    prints('\x1b[1 q\x1b[?12$p\x1b[?12h\x1b[2 q\x1b[?12$p');
    expect(told).toEqual(['ESC [?12;1$y', 'ESC [?12;2$y']);
  });

  it.each([
    ['a reset', '\x1bc'],
    ['a soft reset', '\x1b[!p'],
    ['the reset before a new shell', PROGRAM_RESET],
  ])('learns that %s ends both kinds of reports', (_what, reset) => {
    const { emulator, prints, told } = screen();
    prints('\x1b[?2031;2048h');
    told.length = 0;
    prints(`${reset}\x1b[?2031$p\x1b[?2048$p`);
    expect(told).toEqual(['ESC [?2031;2$y', 'ESC [?2048;2$y']);
    emulator.resize({ cols: 10, rows: 5 });
    emulator.setTheme(LIGHT);
    expect(told).toHaveLength(2);
  });
});

describe('[T6] reports of the colour scheme', () => {
  it('are given when asked for', () => {
    const { emulator, prints, told } = screen();
    prints('\x1b[?996n');
    emulator.setTheme(LIGHT);
    prints('\x1b[?996n');
    expect(told).toEqual(['ESC [?997;1n', 'ESC [?997;2n']);
  });

  it('are given once for each change, while the program wants them', () => {
    const { emulator, prints, told } = screen();
    emulator.setTheme(LIGHT);
    emulator.setTheme(DARK);
    prints('\x1b[?2031h');
    for (const theme of [LIGHT, { ...LIGHT, cursor: '#00ff00' }, DARK]) emulator.setTheme(theme);
    prints('\x1b[?2031l');
    emulator.setTheme(LIGHT);
    expect(told).toEqual(['ESC [?997;2n', 'ESC [?997;1n']);
  });

  it('ignore a background that the program set for itself', () => {
    const { prints, told } = screen();
    prints('\x1b]11;#ffffff\x07\x1b]10;#000000\x07\x1b[?996n');
    expect(told).toEqual(['ESC [?997;1n']);
  });

  it('are given after a restore, which itself reports nothing', () => {
    const { emulator, prints } = screen();
    prints('\x1b[?2031h');
    const copy = screen();
    copy.emulator.restore(ansi(emulator));
    expect(copy.told).toEqual([]);
    copy.emulator.setTheme(LIGHT);
    expect(copy.told).toEqual(['ESC [?997;2n']);
  });

  it('reach the program at once, though it prints nothing', () => {
    const w = world();
    const session = w.session({ theme: DARK });
    session.prints('\x1b[?2031h');
    w.thread.run();
    session.screen.setTheme(LIGHT);
    w.thread.run();
    expect(session.log).toEqual(['answer "\\u001b[?997;2n"']);
  });

  it('are not given for themes that were replaced before the terminal had them', () => {
    const w = world();
    const session = w.session({ theme: DARK });
    session.prints('\x1b[?2031h');
    w.thread.run();
    for (const theme of [LIGHT, DARK, LIGHT, DARK]) session.screen.setTheme(theme);
    w.thread.run();
    expect(session.log).toEqual([]);
  });

  it('reach the program of a sleeping screen once, and the right one when it wakes', () => {
    const w = world();
    const session = w.session({ theme: DARK });
    session.prints('\x1b[?2031h');
    w.thread.run();
    session.screen.fallAsleep();
    w.thread.run();
    expect(session.screen.state).toBe('asleep');
    session.screen.setTheme(LIGHT);
    session.screen.setTheme({ ...LIGHT });
    expect(session.screen.state).toBe('asleep');
    session.prints('\x1b[?996n');
    w.thread.run();
    session.screen.setTheme(DARK);
    w.thread.run();
    const [light, dark] = ['answer "\\u001b[?997;2n"', 'answer "\\u001b[?997;1n"'];
    expect(session.log).toEqual([light, light, dark]);
  });

  it('are not lost when the theme changes while the screen falls asleep', () => {
    const w = world();
    const session = w.session({ theme: DARK });
    session.prints('\x1b[?2031h');
    w.thread.run();
    session.screen.fallAsleep();
    session.screen.setTheme(LIGHT);
    w.thread.run();
    expect(session.log).toEqual(['answer "\\u001b[?997;2n"']);
  });

  it('are not given for a sleeping screen whose program does not want them', () => {
    const w = world();
    const session = w.session({ theme: DARK });
    session.prints('hello');
    w.thread.run();
    session.screen.fallAsleep();
    w.thread.run();
    session.screen.setTheme(LIGHT);
    expect(session.log).toEqual([]);
  });
});

describe('[T6] reports of the size', () => {
  it('are given when the mode is set and at every change, and not after it is reset', () => {
    const { emulator, prints, told } = screen();
    emulator.resize({ cols: 70, rows: 20 });
    prints('\x1b[?2048h');
    emulator.resize({ cols: 100, rows: 30 });
    emulator.resize({ cols: 100, rows: 30 });
    emulator.resize({ cols: 100, rows: 31 });
    prints('\x1b[?2048l');
    emulator.resize({ cols: 90, rows: 25 });
    expect(told).toEqual(['ESC [48;20;70;400;700t', 'ESC [48;30;100;600;1000t', 'ESC [48;31;100;620;1000t']);
  });

  it('are given after a restore, which itself reports nothing', () => {
    const { emulator, prints } = screen();
    prints('\x1b[?2048h');
    const copy = screen();
    copy.emulator.restore(ansi(emulator));
    expect(copy.told).toEqual([]);
    copy.emulator.resize({ cols: 10, rows: 5 });
    expect(copy.told).toEqual(['ESC [48;5;10;100;100t']);
  });

  it('wake a sleeping screen, and reach the program', () => {
    const w = world();
    const session = w.session();
    session.prints('\x1b[?2048h');
    w.thread.run();
    session.screen.fallAsleep();
    w.thread.run();
    session.log.length = 0;
    session.resizes(50, 10);
    w.thread.run();
    expect(session.log).toEqual(['answer "\\u001b[48;10;50;200;500t"']);
  });
});
