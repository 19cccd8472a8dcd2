/** Output is cut into steps, between which a page does other work. */
import { describe, expect, it } from 'vitest';
import { parseSteps } from '../../../protocol/terminal/parse-steps.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const WINDOW = { cols: 200, rows: 50 };

describe('[SEC8] steps of output', () => {
  it('are all of it, in order', () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, at) => at % 251);
    const steps = parseSteps(bytes, WINDOW);
    expect(steps.length).toBeGreaterThan(9);
    expect(Buffer.concat(steps)).toEqual(Buffer.from(bytes));
  });

  it('are one step for short output, and for none', () => {
    expect(parseSteps(bytesOf('$ '), WINDOW)).toEqual([bytesOf('$ ')]);
    expect(parseSteps(new Uint8Array(0), WINDOW)).toEqual([new Uint8Array(0)]);
  });

  it('are shorter on a larger screen, but never tiny', () => {
    const lengths = (cols: number, rows: number) =>
      parseSteps(new Uint8Array(4096), { cols, rows }).map(({ length }) => length);
    expect(Math.max(...lengths(80, 24))).toBe(512);
    expect(Math.max(...lengths(400, 100))).toBe(128);
    expect(Math.max(...lengths(1000, 1000))).toBe(64);
  });

  it.each(['—', '😀', 'é'])('cut no character in two: %s', (character) => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const text = before + character.repeat(700);
      const decoder = new TextDecoder('utf-8', { fatal: true });
      expect(
        parseSteps(bytesOf(text), WINDOW)
          .map((step) => decoder.decode(step))
          .join(''),
      ).toBe(text);
    }
  });

  it('of bytes that are no characters end, too', () => {
    const bytes = new Uint8Array(3000).fill(0xf0);
    expect(Buffer.concat(parseSteps(bytes, WINDOW))).toEqual(Buffer.from(bytes));
  });
});
