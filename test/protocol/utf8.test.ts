import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterJoiner, halfCharacterBytes } from '../../protocol/utf8.ts';
import { checkProperty } from '../support/property.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('characters in a stream that is split anywhere', () => {
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

  /** By the table of the standard, and not by comparing bytes as the code does. */
  const lengthOf = (first: number) => {
    const bits = first.toString(2).padStart(8, '0');
    return ['110', '1110', '11110'].findIndex((mark) => bits.startsWith(mark)) + 2;
  };
  const everyByte = Array.from({ length: 256 }, (_, byte) => byte);

  it.each([0, 1, 2, 3, 4])('after every first byte, %d continuation bytes', (count) => {
    const halves = everyByte.map((first) =>
      halfCharacterBytes(Uint8Array.of(0x61, first, ...Array(count).fill(0x80))),
    );
    const isBeginning = (first: number) => first >= 0xc0 && count + 1 < lengthOf(first);
    expect(halves).toEqual(everyByte.map((first) => (isBeginning(first) ? count + 1 : 0)));
  });

  it('an incomplete character alone is held back', () => {
    expect([1, 2, 3].map((length) => halfCharacterBytes(bytes('🦀').subarray(0, length)))).toEqual([1, 2, 3]);
    expect(halfCharacterBytes(Uint8Array.of(0x80, 0x80))).toBe(0);
  });

  it('only an incomplete character is held back, and later input does not change earlier output', () => {
    const joiner = new CharacterJoiner();
    const whole = Uint8Array.from(bytes('ab'));
    expect(joiner.take(whole)).toEqual(bytes('ab'));
    const cut = Uint8Array.from([...bytes('c—').subarray(0, 3)]);
    expect(joiner.take(cut)).toEqual(bytes('c'));
    cut.fill(0);
    expect(joiner.take(bytes('—').slice(2))).toEqual(bytes('—'));
    expect(joiner.take(bytes('d'))).toEqual(bytes('d'));
  });

  it('for any split, every part has whole characters and together they are the stream', () => {
    checkProperty(
      'utf8-cuts',
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

  it('invalid UTF-8 passes through, and nothing is held forever', () => {
    checkProperty(
      'utf8-foreign-bytes',
      fc.property(fc.uint8Array({ maxLength: 40 }), (garbage) => {
        const joiner = new CharacterJoiner();
        const out = [...joiner.take(new Uint8Array(garbage)), ...joiner.take(bytes('end'))];
        expect(out).toEqual([...garbage, ...bytes('end')]);
      }),
    );
  });

  it('a new stream does not start with the rest of the old one', () => {
    const joiner = new CharacterJoiner();
    joiner.take(bytes('—').slice(0, 2));
    joiner.reset();
    expect(joiner.take(bytes('x'))).toEqual(bytes('x'));
  });
});
