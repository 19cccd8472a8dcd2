/** Patterns that cannot hang, compared with the runtime's own regular expressions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../client/text/pattern.ts';
import { PATTERN_STATES_MAX } from '../../../protocol/limits.ts';
import { checkProperty } from '../../support/property.ts';

/** Whether a pattern matches in a text, with `$` matching at its end as well. */
function finds(pattern: Pattern, text: string): boolean {
  for (const char of text) if (pattern.step(char.codePointAt(0) ?? 0)) return true;
  return pattern.rest();
}

describe('a pattern', () => {
  it.each([
    ['ab', 'xxabxx', true],
    ['ab', 'a b', false],
    ['a.c', 'a\nc', false],
    ['a.c', 'a🦀c', true],
    ['^ab$', 'x\nab\ny', true],
    ['^ab$', 'xab\n', false],
    ['ab$', 'ab', true],
    ['ab$', 'abc', false],
    ['a{2,3}b', 'ab', false],
    ['a{2,3}b', 'xaab', true],
    ['^a{2,3}b', 'aaaab', false],
    ['(ok|failed)!', 'failed!', true],
    ['[a-c]+[^0-9]', 'abc1', true],
    ['[a-c]{3}[^0-9]', 'abc1', false],
    ['\\d+ tests? passed', '12 tests passed', true],
    ['\\$ $', 'me@here:~$ ', true],
    ['[\\]x]y', ']y', true],
    ['colou?r', 'color', true],
    ['(?:a|b)c', 'bc', true],
    ['漢[字子]', 'x漢子', true],
  ])('[R2] %s in %j: %s', (source, text, found) => {
    expect(finds(new Pattern(source), text)).toBe(found);
  });

  it.each([
    '(',
    ')',
    'a**',
    '[a',
    '\\',
    'a{3,1}',
    '(?=a)',
    '(a)\\1',
    '\\bword',
    '*',
    '',
    'a*',
    '^',
    '(a{999}){999}',
    'a{1000}',
    'a*?b',
    '\\p{L}',
    '\\x41',
    '[\\u0041]',
    '(?<name>a)',
    '(?i)a',
  ])('[R2] %j is refused with a sentence', (source) => {
    expect(() => new Pattern(source)).toThrow(/^The pattern cannot be used: /);
  });

  it('[R2] agrees with RegExp on random patterns and texts', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|bc)', '(b|)', '^', '$', '\\w', ' ');
    const piece = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}')).map(([one, many]) => {
      return one === '^' || one === '$' ? one : one + many;
    });
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ' ', '\n'), { maxLength: 12 })
      .map((all) => all.join(''));
    checkProperty(
      'pattern-like-regexp',
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), text, (pieces, printed) => {
        const source = pieces.join('');
        const native = new RegExp(source, 'm');
        let pattern: Pattern;
        try {
          pattern = new Pattern(source);
        } catch {
          return; // it would match the empty text
        }
        // Compares matches that are not empty.
        const expected = [...printed.matchAll(new RegExp(source, 'gm'))].length > 0 && native.test(printed);
        expect(finds(pattern, printed), `${source} in ${JSON.stringify(printed)}`).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('[R2] is fast where a backtracking engine would hang', () => {
    expect(finds(new Pattern('^(a+)+$'), `${'a'.repeat(50_000)}b`)).toBe(false);
    expect(finds(new Pattern('(x+x+)+y'), 'x'.repeat(50_000))).toBe(false);
    expect(finds(new Pattern('(a|b|ab)*c'), 'ab'.repeat(50_000))).toBe(false);
    // More positions than are cached.
    expect(finds(new Pattern('a.{12}b'), 'aaab'.repeat(2000).replaceAll('b', 'c'))).toBe(false);
    expect(finds(new Pattern('a.{12}b'), `${'ac'.repeat(2000)}a${'c'.repeat(12)}b`)).toBe(true);
  });

  it('[R2] that is literal matches itself', () => {
    checkProperty(
      'pattern-literal',
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        (text, before, after) => {
          fc.pre(!/[\n]/.test(text));
          expect(finds(Pattern.literal(text), before + text + after)).toBe(true);
        },
      ),
    );
    expect(finds(Pattern.literal('a.c'), 'abc')).toBe(false);
  });

  it.each([
    ['the maximum number of characters', `${'a'.repeat(PATTERN_STATES_MAX)}`, true],
    ['one more', `.{${PATTERN_STATES_MAX + 1}}`, false],
    ['the same by nesting', '((a{16}){16}){2}', false],
    ['an alternative for each', `(${'a|'.repeat(127)}a)b`, true],
    ['an empty group, a thousand million times', '((((){999}){999}){999})a', false],
    ['a start of a line, as often', '(((^{99}){99}){99})a', false],
  ])('[X3] a pattern of %s is accepted or refused before it is built', (_, source, taken) => {
    const make = () => new Pattern(source);
    if (taken) expect(make).not.toThrow();
    else expect(make).toThrow(/^The pattern cannot be used: with its repetitions/);
  });

  it('[SEC21] [RL22] is refused if it has too many ways from one character to the next', () => {
    expect(() => new Pattern('(.?){255}(^?){559}x')).toThrow(/more than 256 characters/);
    expect(new Pattern('(.?){255}x').buildSteps).toBeLessThan(100_000);
    expect(new Pattern(`(${'a|b|c|'.repeat(40)}d)+x`).buildSteps).toBeLessThan(100_000);
  });

  it('[X3] a character costs at most states times words of states, whatever is printed', () => {
    const texts = ['abc', 'aab', '漢字a', 'b'].map((unit) => unit.repeat(3000));
    const patterns = [`[^a].{${PATTERN_STATES_MAX - 3}}\t!`, '[^a].{120}\t!|[^b].{120}\t!', '(.?){250}\t'];
    for (const source of patterns) {
      for (const text of texts) {
        const pattern = new Pattern(source);
        expect(finds(pattern, text)).toBe(false);
        const most = PATTERN_STATES_MAX * (PATTERN_STATES_MAX / 32) + PATTERN_STATES_MAX * 16 + 128;
        expect(pattern.steps / [...text].length).toBeLessThan(most);
      }
    }
  });

  it('[X3] an ordinary pattern costs about a step per character, in any script', () => {
    for (const unit of ['error: none\n', '一二三四五六七八\n']) {
      const pattern = new Pattern('^error: build (failed|broken)$');
      const text = unit.repeat(5000);
      finds(pattern, text);
      expect(pattern.steps / text.length).toBeLessThan(unit.startsWith('e') ? 1.1 : 10);
    }
  });

  it('[X3] its cache is limited, and beyond the limit the results are the same', () => {
    const source = 'a.{14}b';
    const native = new RegExp(source);
    const pattern = new Pattern(source);
    let random = 7;
    for (let i = 0; i < 300; i++) {
      let text = '';
      for (let j = 0; j < 60; j++) {
        random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
        text += 'aac'[(random >>> 16) % 3];
      }
      if (i % 3 === 0) text = `${text.slice(0, 40)}b${text.slice(40)}`;
      expect(finds(pattern, text), text).toBe(native.test(text));
      pattern.restart();
    }
  });
});
