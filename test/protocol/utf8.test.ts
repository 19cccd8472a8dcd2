import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterJoiner, halfCharacterBytes } from '../../protocol/utf8.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('characters in a stream that is cut anywhere', () => {
  it.each([
    ['plain text', 'abc', 0, 0],
    ['a whole em dash', 'a—', 0, 0],
    ['an em dash without its last byte', 'a—', 1, 2],
    ['an em dash without its last two', 'a—', 2, 1],
    ['an emoji without its last byte', '🦀', 1, 3],
    ['nothing', '', 0, 0],
  ])('%s', (_, text, cutOff, half) => {
    const chunk = bytes(text);
    expect(halfCharacterBytes(chunk.subarray(0, chunk.length - cutOff))).toBe(half);
  });

  it('whatever the cuts, every piece is whole and together they are the stream', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(8), { maxLength: 20 }), (text, cuts) => {
        const stream = bytes(text);
        const joiner = new CharacterJoiner();
        const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
        let shown = '';
        let at = 0;
        for (const length of [...cuts, stream.length]) {
          shown += strict.decode(joiner.take(stream.slice(at, at + length)));
          at += length;
        }
        expect(shown).toBe(text);
      }),
    );
  });

  it('bytes that are no UTF-8 pass through, and nothing is held for ever', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (garbage) => {
        const joiner = new CharacterJoiner();
        const out = [...joiner.take(new Uint8Array(garbage)), ...joiner.take(bytes('end'))];
        expect(out).toEqual([...garbage, ...bytes('end')]);
      }),
    );
  });

  it('a new stream does not begin with the end of the old one', () => {
    const joiner = new CharacterJoiner();
    joiner.take(bytes('—').slice(0, 2));
    joiner.reset();
    expect(joiner.take(bytes('x'))).toEqual(bytes('x'));
  });
});
