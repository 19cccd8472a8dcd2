/** Text from other machines, made safe to show. */
import { describe, expect, it } from 'vitest';
import { COMBINING_MARKS_MAX, NAME_MAX_CHARS } from '../../protocol/limits.ts';
import { printable, printableJson, printableLines, withoutControls } from '../../protocol/printable.ts';

describe('printable text', () => {
  it.each([
    ['C0 controls and DEL', 'a\x1b]52;c;x\x07\r\n\x7fb', 'a]52;c;xb'],
    ['C1 controls', 'a\u0085\u009b6nb', 'a6nb'],
    ['direction marks', 'a\u202eb\u202cc\u2066d\u2069e\u061cf\u200eg\u200fh', 'abcdefgh'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'abc'],
    ['zero-width characters', 'a\u200bb\u2060c\ufeffd\u00ade\u180ef\u3164g', 'abcdefg'],
    ['tag characters', 'a\u{e0041}\u{e0042}\u{e007f}b', 'ab'],
    ['interlinear annotations', 'a\ufff9b\ufffac\ufffbd', 'abcd'],
    ['joiners in ASCII text', 'pay\u200dpal\u200c.com', 'paypal.com'],
    ['surrounding blanks', ' \u00a0a b\t ', 'a b'],
  ])('[X10] removes %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(['ünïcode 漢字', '👩‍💻 👨‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🇩🇪', 'می‌خواهم', 'क्‍ष', 'Việt', 'שָׁלוֹם'])(
    '[X10] keeps %s unchanged',
    (text) => {
      expect(printable(text)).toBe(text);
      expect(printableLines(text)).toBe(text);
    },
  );

  it('[X10] limits the combining marks on one character', () => {
    expect(printable(`e${'\u0301'.repeat(COMBINING_MARKS_MAX)}x`)).toHaveLength(COMBINING_MARKS_MAX + 2);
    expect(printable(`e${'\u0301'.repeat(COMBINING_MARKS_MAX + 1)}x`)).toHaveLength(COMBINING_MARKS_MAX + 2);
  });

  it('[X10] is cut between characters, never within one', () => {
    const full = 'x'.repeat(NAME_MAX_CHARS);
    expect(printable(`${full}y`)).toBe(full);
    expect(printable(`${full.slice(1)}👍`)).toBe(full.slice(1));
    expect(printable('ab👍c', 4)).toBe('ab👍');
    expect(printable('ab\ud83d')).toBe('ab\ufffd');
  });

  it('[X10] does not change when made printable again', () => {
    const texts = [
      `${'x'.repeat(NAME_MAX_CHARS - 1)} y`,
      `${'漢\u200d'.repeat(200)}`,
      '\u202e\u200d漢\u200b\u200d字',
    ];
    for (const text of texts) expect(printable(printable(text))).toBe(printable(text));
  });

  it('[X10] of several lines keeps line ends and tabs', () => {
    expect(printableLines('a\tb\r\nc\x1b[2J\u202ed\n')).toBe('a\tb\nc[2Jd\n');
  });

  it('[X10] as JSON contains nothing that a terminal interprets, and parses to the same value', () => {
    const value = { text: 'a\x1b\x7f\u009b\u202e\u2028\u{e0041}\ud800é👩‍💻\n' };
    const json = printableJson(value, 2);
    expect(json.replace('é👩‍💻', '')).toMatch(/^[\n -~]+$/);
    expect(JSON.parse(json)).toEqual(value);
  });

  it('[X10] of a screen loses only controls', () => {
    expect(withoutControls('a\x1b[1m\u009b\u200f\n\tb')).toBe('a[1m\u200f\n\tb');
  });
});
