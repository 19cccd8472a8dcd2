/** Whether a program wants pastes to be marked. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PASTE, PASTE_END, PasteMode, pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { checkProperty } from '../../support/property.ts';

function modeAfter(pieces: readonly string[]): boolean {
  const mode = new PasteMode();
  // The memory of a piece is used again for the next.
  const memory = Buffer.alloc(1024);
  for (const piece of pieces) mode.printed(memory.subarray(0, memory.write(piece, 'latin1')));
  return mode.isOn;
}

/** The text in two pieces, cut everywhere. */
const cuts = (text: string) => Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)]);

describe('the mode of pastes', () => {
  it.each([
    ['set', '\x1b[?2004h', true],
    ['set and reset', '\x1b[?2004hls\x1b[?2004l', false],
    ['set after other sequences', '\x1b[31m\x1b[?25h\x1b]0;t\x07\x1b[?2004h$ ', true],
    ['another mode', '\x1b[?20040h\x1b[?200h\x1b[?2004$p', false],
    ['begun twice', '\x1b[?20\x1b[?2004h', true],
    ['at the very end', `${'x'.repeat(300)}\x1b[?2004h`, true],
  ])('is read from the output, however that is cut: %s', (_, text, isOn) => {
    expect(modeAfter([text])).toBe(isOn);
    for (const pieces of cuts(text)) expect(modeAfter(pieces), JSON.stringify(pieces)).toBe(isOn);
    expect(modeAfter([...text])).toBe(isOn);
  });

  it('is the same for any pieces of any output', () => {
    const token = fc.constantFrom(
      '\x1b',
      '[',
      '?',
      '2004',
      'h',
      'l',
      '\x1b[?2004h',
      '\x1b[?2004l',
      'x',
      '\x1b[?200',
    );
    checkProperty(
      'paste-mode',
      fc.property(
        fc.array(token, { maxLength: 20 }),
        fc.array(fc.nat({ max: 9 }), { maxLength: 30 }),
        (tokens, lengths) => {
          const text = tokens.join('');
          const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + length, 0));
          const pieces = starts.map((start, i) => text.slice(start, start + (lengths[i] as number)));
          const at = pieces.join('').length;
          const isOn = text.lastIndexOf('\x1b[?2004h') > text.lastIndexOf('\x1b[?2004l');
          expect(modeAfter([...pieces, text.slice(at)])).toBe(isOn);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a paste', () => {
  it('has its marks around it, and Enter as a terminal sends it', () => {
    expect(pasted('a\nb')).toBe(`${PASTE}a\rb${PASTE_END}`);
  });

  it('cannot end by itself', () => {
    const ends = fc.array(fc.constantFrom(PASTE_END, '\x1b', '[', '201', '~', '\x1b[20', '1~', 'rm'), {
      maxLength: 12,
    });
    checkProperty(
      'pasted',
      fc.property(ends, (parts) => {
        const text = pasted(parts.join(''));
        expect(text.indexOf(PASTE_END)).toBe(text.length - PASTE_END.length);
      }),
      { numRuns: 500 },
    );
  });
});
