import { describe, expect, it } from 'vitest';
import { plainText } from '../../../client/text/plain-text.ts';

describe('output as plain text', () => {
  it.each([
    ['lines', 'one\r\ntwo\n', 'one\ntwo\n'],
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['a title', '\x1b]0;title\x07shown', 'shown'],
    ['a progress bar', '10%\r50%\r100%\r\ndone', '100%\ndone'],
    ['a return before the end of a line', 'kept\r\n', 'kept\n'],
    ['a correction', 'lss\b \b\n', 'ls\n'],
    ['a movement to another row', 'one\x1b[5;1Htwo', 'one\ntwo'],
    ['a movement to the right', 'one\x1b[3Ctwo', 'one two'],
    ['characters of several bytes', '界 — é', '界 — é'],
    ['other control characters', 'a\x00\x07b', 'ab'],
    ['nothing', '', ''],
  ])('[A2] has %s', (_what, output, text) => {
    expect(plainText(new TextEncoder().encode(output))).toBe(text);
  });

  it('[A2] shows bytes that are no text as such', () => {
    expect(plainText(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\ufffdb');
  });
});
