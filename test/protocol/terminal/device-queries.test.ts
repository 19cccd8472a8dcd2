/** No device query reaches a terminal other than the agent's: the list, in all places that use it. */
import { describe, expect, it } from 'vitest';
import { Drawing } from '../../../cli/attach/drawing.ts';
import { STRING_MAX_CHARS } from '../../../protocol/limits.ts';
import { DEVICE_QUERIES } from '../../../protocol/terminal/device-queries.ts';
import { isDeviceQuery } from '../../../protocol/terminal/is-device-query.ts';
import { Tokenizer } from '../../../protocol/terminal/tokenizer.ts';
import { restrictOutput } from '../../../web/ui/terminal/hostile-output.ts';
import { TerminalOutput } from '../../../worker/api/single-terminal/terminal-output.ts';
import { allTellingTerminal, answersOf } from '../../support/all-telling-terminal.ts';
import { DISGUISED_QUERIES, QUERIES } from '../../support/terminal-queries.ts';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const text = (data: Uint8Array) => new TextDecoder().decode(data);

const attach = () => {
  const drawing = new Drawing(() => ({ cols: 80, rows: 24 }));
  return (output: Uint8Array) => drawing.take(output);
};
const plainTerminal = () => {
  const filter = new TerminalOutput({ cols: 80, rows: 24 });
  return (output: Uint8Array<ArrayBuffer>) => text(filter.take(output));
};

/** At once, and a byte at a time. */
function filtered(filterOf: typeof attach | typeof plainTerminal, output: string): string {
  const whole = filterOf()(bytes(output));
  const slowly = filterOf();
  expect([...bytes(output)].map((byte) => slowly(Uint8Array.of(byte))).join('')).toBe(whole);
  return whole;
}

function pageAnswers(output: string): string {
  const terminal = allTellingTerminal();
  restrictOutput(terminal);
  return answersOf(output, terminal);
}

const ALL = [...QUERIES, ...DISGUISED_QUERIES];

describe('a device query', () => {
  it.each(ALL)('[SEC19] [X15] $asks is not passed to /terminal/ws', ({ query }) => {
    const shown = filtered(plainTerminal, `before${query}after`);
    expect(shown).not.toContain('6n');
    expect(shown).toMatch(/^before.*after$/su);
    expect(answersOf(shown)).toBe('');
    expect(leftQueries(shown)).toEqual([]);
  });

  it.each(ALL)('[OU14] $asks is not passed to the terminal of attach', ({ query }) => {
    const shown = filtered(attach, `before${query}after`);
    expect(shown).toMatch(/^before.*after$/su);
    expect(answersOf(shown)).toBe('');
    expect(leftQueries(shown)).toEqual([]);
  });

  it.each(ALL)('[SEC7] $asks is not answered by the page', ({ query }) => {
    expect(pageAnswers(`before${query}after`)).toBe('');
  });

  it('[SEC19] [T6] no other terminal is told to report its colour scheme or its size', () => {
    for (const output of ['a\x1b[?2031hb', 'a\x1b[?2048hb', 'a\x1b[?25;2031hb'])
      for (const filter of [plainTerminal, attach]) expect(filtered(filter, output)).not.toMatch(/20(31|48)/);
  });

  it('[X15] would be answered by the same terminal without the filter', () => {
    const answered = ALL.filter(({ query }) => answersOf(query) !== '').map(({ asks }) => asks);
    expect(answered.length).toBeGreaterThan(25);
    expect(answered).toEqual(
      expect.arrayContaining(
        DISGUISED_QUERIES.map(({ asks }) => asks).filter((asks) => !UNANSWERED.has(asks)),
      ),
    );
  });

  it.each(DEVICE_QUERIES)('$name is recognised in its own example', ({ example }) => {
    expect(new Tokenizer().take(example).filter(isDeviceQuery)).toHaveLength(1);
  });
});

/** Disguises of queries that xterm.js does not answer, and other terminals do. */
const UNANSWERED = new Set(['DECID as a C1 control', 'an unlisted code with a question mark']);

function leftQueries(shown: string) {
  return new Tokenizer().take(shown).filter(isDeviceQuery);
}

describe('output that is not a query', () => {
  it.each([
    ['colours', '\x1b[1;31m\x1b[38:2::1:2:3m\x1b[>4;2m'],
    ['cursor and screen', '\x1b[2;5H\x1b[?25l\x1b[?1049h\x1b[2 q\x1b[!p\x1b[3;20r'],
    ['a title with question marks', '\x1b]0;what;?;now?\x1b\\'],
    ['a link with question marks', '\x1b]8;;https://example.com/?a;?\x1b\\'],
    ['a colour that is set', '\x1b]11;#ffffff\x07\x1b]4;1;rgb:ff/00/00\x1b\\'],
    ['the clipboard, written', '\x1b]52;c;aGVsbG8=\x07'],
    ['saved titles, and a number of lines', '\x1b[22;0t\x1b[23;0t\x1b[24t'],
    ['a quiet image of kitty', '\x1b_Gi=1,q=2,f=24;AAAA\x1b\\'],
    ['an image of kitty without an id', '\x1b_Gf=24,s=1,v=1,a=T;AAAA\x1b\\'],
    ['keyboard protocols', '\x1b[>1u\x1b[<u\x1b[=1;1u'],
    ['an inline image of iTerm2', '\x1b]1337;File=inline=1:aGk=\x07'],
    ['CAN and SUB outside a sequence', 'a\x18b\x1ac'],
  ])('[P15] passes /terminal/ws byte for byte: %s', (_, output) => {
    expect(filtered(plainTerminal, output)).toBe(output);
  });

  it('[P15] a string at the limit passes whole, and one character longer in parts', () => {
    for (const length of [STRING_MAX_CHARS, STRING_MAX_CHARS + 1, 3 * STRING_MAX_CHARS]) {
      const image = `\x1bPq${'~'.repeat(length - 1)}\x1b\\`;
      expect(filtered(plainTerminal, `a${image}b`)).toBe(`a${image}b`);
    }
  });

  it.each([
    ['DECRQSS', `\x1bP$q${'m'.repeat(STRING_MAX_CHARS)}\x1b\\`],
    ['a colour', `\x1b]4;${'1;#fff;'.repeat(STRING_MAX_CHARS / 4)}2;?\x1b\\`],
    ['CSI', `\x1b[${'0;'.repeat(4000)}c`],
  ])('[X15] an incomplete query is dropped: %s', (_, query) => {
    expect(filtered(plainTerminal, `a${query}b`)).toBe('ab');
  });

  it('[X15] a long string that is cancelled is cancelled for the other terminal too', () => {
    const image = `\x1bPq${'~'.repeat(STRING_MAX_CHARS)}`;
    expect(filtered(plainTerminal, `${image}\x1aend`)).toBe(`${image}\x18end`);
  });

  it.each([0x90, 0x98, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f])(
    '[X15] the 8-bit control %d, which is not UTF-8, becomes a replacement character',
    (control) => {
      const shown = new TerminalOutput({ cols: 80, rows: 24 }).take(Uint8Array.of(0x61, control, 0x63, 0x62));
      expect(text(shown)).toBe('a\ufffdcb');
    },
  );

  it.each(['\x1bP\xff$qm\x1b\\', '\x1b]11;\xaf?\x07', '\x1b[\xff6n', '\x1b\xff[6n'])(
    '[X15] a query is not hidden by a byte that terminals skip: %j',
    (query) => {
      const filter = new TerminalOutput({ cols: 80, rows: 24 });
      expect(answersOf(filter.take(Uint8Array.from(Buffer.from(query, 'latin1'))))).toBe('');
    },
  );

  it('[P15] other invalid UTF-8 passes unchanged, also next to sequences and wherever it is split', () => {
    const raw = Buffer.from(
      '\xff\xfe\x80\xc2\x1b[1m\xe6\xbc\x1b[6n\xa2\xed\xa0\x85\xc3\xa9\xf0\x9f\x91\x8d',
      'latin1',
    );
    const shown = '\xff\xfe\x80\xc2\x1b[1m\xe6\xbc\xa2\xed\xa0\x85\xc3\xa9\xf0\x9f\x91\x8d';
    for (const length of [1, 2, 3, raw.length]) {
      const filter = new TerminalOutput({ cols: 80, rows: 24 });
      const pieces = Array.from({ length: Math.ceil(raw.length / length) }, (_, i) =>
        filter.take(Uint8Array.from(raw.subarray(i * length, (i + 1) * length))),
      );
      expect(Buffer.concat(pieces).toString('latin1')).toBe(shown);
    }
  });

  it('[X15] a count is limited by the size of the terminal, which may change', () => {
    const filter = new TerminalOutput({ cols: 80, rows: 24 });
    expect(text(filter.take(bytes('\x1b[2147483647b\x1b[24L\x1b[25L\x1b[L')))).toBe(
      '\x1b[1920b\x1b[24L\x1b[24L\x1b[L',
    );
    filter.resize({ cols: 120, rows: 40 });
    expect(text(filter.take(bytes('\x1b[25L\x1b[41L')))).toBe('\x1b[25L\x1b[40L');
  });

  it('[X15] an incomplete sequence is forgotten when another stream begins', () => {
    const filter = new TerminalOutput({ cols: 80, rows: 24 });
    filter.take(bytes('\x1b]0;unfinished'));
    filter.reset();
    expect(text(filter.take(bytes('text')))).toBe('text');
  });
});
