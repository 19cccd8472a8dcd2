/** Sets of characters, compared with the classes of JavaScript's regular expressions. */
import { describe, expect, it } from 'vitest';
import { CharSet } from '../../../client/text/char-set.ts';
import { compile } from '../../../client/text/pattern-program.ts';

/** The first set of characters in a pattern. */
function setOf(source: string): CharSet {
  for (const node of compile(source).nodes) if (node.kind === 'char') return node.set;
  throw new Error('invariant: every pattern here has a character');
}

describe('a set of characters', () => {
  it.each([
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '.',
    '[a-cx]',
    '[^a-cx]',
    '[\\w-]',
    '[^\\W5]',
    '[c-ea-cb]',
  ])('[R2] %s has the same characters as in JavaScript', (source) => {
    const set = setOf(source);
    // Without the flag `s`, a dot of JavaScript also leaves out other ends of lines.
    const same = new RegExp(`^${source === '.' ? '[^\\n]' : source}$`);
    const other = Array.from({ length: 0x10000 }, (_, code) => code).filter(
      (code) => set.has(code) !== same.test(String.fromCharCode(code)),
    );
    expect(other).toEqual([]);
  });

  it('[R2] ends with the last code point', () => {
    expect([0, 10, 11, 0x10ffff].map((code) => setOf('.').has(code))).toEqual([true, false, true, true]);
    expect(new CharSet([]).negated().ranges).toEqual([[0, 0x10ffff]]);
    expect(new CharSet([[0, 0x10ffff]]).negated().ranges).toEqual([]);
  });

  it('[SEC21] [RL22] has as many ranges as it needs, however often a pattern names its characters', () => {
    expect(setOf(`[${'\\w'.repeat(120)}]`).ranges).toHaveLength(4);
    expect(setOf(`[${'a-z'.repeat(80)}]`).ranges).toEqual([[0x61, 0x7a]]);
  });
});
