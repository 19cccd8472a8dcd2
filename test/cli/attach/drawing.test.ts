/** What reaches a person's own terminal: sequences that draw, and no query that it would answer. */
import { describe, expect, it } from 'vitest';
import { Drawing } from '../../../cli/attach/drawing.ts';
import { answersOf } from '../../support/all-telling-terminal.ts';

const size = () => ({ cols: 80, rows: 24 });
const bytes = (text: string) => new TextEncoder().encode(text);

/** At once, and byte by byte: the result must be the same however it is split. */
function drawn(text: string): string {
  const whole = new Drawing(size).take(bytes(text));
  const slowly = new Drawing(size);
  const pieces = [...bytes(text)].map((byte) => slowly.take(Uint8Array.of(byte))).join('');
  expect(pieces).toBe(whole);
  return whole;
}

describe('output that is passed on to a terminal', () => {
  it.each([
    { what: 'a query whose ESC comes in a second sequence', hidden: '\x1b[\x1b[c' },
    { what: 'a query with controls inside', hidden: '\x1b[\r6\nn' },
    { what: 'a query begun by a C1 control', hidden: '\u009bc' },
    { what: 'a query inside a cancelled string', hidden: '\x1b]0;title\x18\x1b[c' },
    { what: 'a query in a string that is not a string', hidden: '\x1bP\x1b[c\x1b\\' },
    { what: 'a query after a mode that changes the meaning of ESC', hidden: '\x1b[?2l\x1bZ' },
    { what: 'eight-bit answers, asked for', hidden: '\x1b G\x1b[c' },
    { what: 'what is asked of a keyboard', hidden: '\x1b[>1u\x1b[=1u\x1b[?u\x1b[>4;2m' },
    { what: 'a report at every resize', hidden: '\x1b[?2048h\x1b[?2031h\x1b[?1004h' },
    { what: 'a locked keyboard, and local echo', hidden: '\x1b[2h\x1b[12l' },
    { what: 'the clipboard and the printer', hidden: '\x1b]52;c;aGk=\x07\x1b[5i' },
    { what: 'another window size', hidden: '\x1b[8;10;10t\x1b[3;0;0t\x1b[?3h\x1b[?40h' },
    { what: 'an image of no size, and a file', hidden: '\x1bPq#0\x1b\\\x1b]1337;File=:aGk=\x07' },
    { what: 'an unterminated sequence', hidden: `\x1b[${'1;'.repeat(5000)}c` },
    { what: 'an unterminated string', hidden: `\x1b]0;${'x'.repeat(20_000)}\x07` },
    { what: 'ENQ, NUL and DEL', hidden: '\x05\x00\x7f' },
  ])('[OU14] drops $what', ({ hidden }) => {
    const shown = drawn(`a${hidden}b`);
    expect(shown.replace(/[\r\n]/g, '')).toMatch(/^ab$/);
    expect(answersOf(shown)).toBe('');
  });

  it.each([
    'plain, ünïcode, 漢字, 👩‍💻 and a\ttab\r\n',
    '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[4:3mcurly\x1b[m',
    '\x1b[2J\x1b[H\x1b[5;10Hthere\x1b[K\x1b[?25l',
    '\x1b[?1049h\x1b[?1006;1003h\x1b[?2004h\x1b[?1h\x1b=',
    '\x1b]0;title\x1b\\\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\',
    '\x1b]4;1;rgb:ff/00/00\x1b\\\x1b]10;#fff\x1b\\\x1b]104\x1b\\',
    '\x1b(0lqk\x1b(B\x0e\x0f\x1b7\x1b8\x1bM\x1bD\x1b[4h\x1b[4l',
    '\x1b[3;20r\x1b[2 q\x1b[!p\x1b[22;0t\x1b[23;0t',
  ])('passes %j through unchanged', (text) => {
    expect(drawn(text)).toBe(text);
  });

  it.each([
    ['a prompt', '133;A;nonce=bm9uY2U;click_events=1', '133;A'],
    ['a command', '133;C;nonce=bm9uY2U;n=7;cmdline_url=ls', '133;C'],
    ['its end', '133;D;1;nonce=bm9uY2U;n=7', '133;D;1'],
  ])(
    '[OU14] [T3] passes the mark of %s without what is not meant for this terminal',
    (_what, made, passed) => {
      expect(drawn(`a\x1b]${made}\x07b`)).toBe(`a\x1b]${passed}\x1b\\b`);
    },
  );

  it.each(['133;L', '133;P;k=i', '133;Z', '633;A', '633;E;ls;bm9uY2U'])('[OU14] [T3] drops %s', (made) => {
    expect(drawn(`a\x1b]${made}\x07b`)).toBe('ab');
  });

  it.each([
    ['what is asked of the keyboard', '\x1b[>1u', '\x1b[>1u'],
    [
      'one set of flags, however many are saved',
      '\x1b[=1u\x1b[>3u\x1b[>5u\x1b[<u',
      '\x1b[>1u\x1b[=3u\x1b[=5u\x1b[=3u',
    ],
    ['the end of it', '\x1b[>1u\x1b[>3u\x1b[<2u\x1b[<u', '\x1b[>1u\x1b[=3u\x1b[<u'],
    ['only flags that there are', '\x1b[>255u', '\x1b[>31u'],
    ['modifyOtherKeys', '\x1b[>4;1m\x1b[>4;9m\x1b[>4m', '\x1b[>4;1m\x1b[>4m'],
    [
      'flags of the alternate screen while it is shown',
      '\x1b[?1049h\x1b[>5ux\x1b[?1049ly\x1b[?1049h',
      '\x1b[?1049h\x1b[>5ux\x1b[<u\x1b[?1049ly\x1b[?1049h\x1b[>5u',
    ],
    [
      'a soft reset, which not every terminal extends to the keyboard',
      '\x1b[>5u\x1b[>4;1m\x1b[!p',
      '\x1b[>5u\x1b[>4;1m\x1b[<u\x1b[>4m\x1b[!p',
    ],
    [
      'a reset on the alternate screen',
      '\x1b[>1u\x1b[?47h\x1b[>5u\x1bc\x1b[>3u',
      '\x1b[>1u\x1b[?47h\x1b[>5u\x1b[<u\x1bc\x1b[>3u',
    ],
    ['no query', '\x1b[>5u\x1b[?u\x1b[?4m', '\x1b[>5u'],
  ])('[T2] passes on to a terminal with a keyboard %s', (_what, output, passed) => {
    expect(new Drawing(size, { hasKeyboard: true }).take(bytes(output))).toBe(passed);
  });

  it('keeps those of several modes that draw', () => {
    expect(drawn('\x1b[?1004;2004;2l')).toBe('\x1b[?2004l');
  });

  it('limits a repeat count to the window, so that no repetition runs for minutes', () => {
    expect(drawn('x\x1b[2147483647b\x1b[99999L')).toBe('x\x1b[1920b\x1b[24L');
  });

  it('replaces invalid UTF-8, so that it cannot hide eight-bit controls', () => {
    expect(new Drawing(size).take(Uint8Array.of(0x61, 0x9b, 0x63, 0x62))).toBe('a\ufffdcb');
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'x-man-page://x', 'not an address'])(
    '[X10] shows the text of a link to %s, but no link',
    (address) => {
      expect(drawn(`\x1b]8;id=1;${address}\x1b\\text\x1b]8;;\x1b\\`)).toBe(
        '\x1b]8;;\x1b\\text\x1b]8;;\x1b\\',
      );
    },
  );

  it('[X18] makes titles printable', () => {
    expect(drawn('\x1b]2;safe\u202egnp.exe\x1b\\')).toBe('\x1b]2;safegnp.exe\x1b\\');
  });

  it('[X10] draws on the main screen if the alternate screen is not allowed', () => {
    const drawing = new Drawing(size, { mayUseAlternate: false });
    expect(drawing.take(bytes('\x1b[?1049;25h\x1b[?47hx'))).toBe('\x1b[?25hx');
    expect(drawing.alternate).toBe(null);
  });

  it('reports whether the alternate screen is shown', () => {
    const drawing = new Drawing(size);
    drawing.take(bytes('\x1b[?1049h'));
    expect(drawing.alternate).toBe(1049);
    drawing.take(bytes('\x1b[?1049l'));
    expect(drawing.alternate).toBe(null);
    drawing.take(bytes('\x1b[?1049h\x1bc'));
    expect(drawing.alternate).toBe(null);
  });
});
