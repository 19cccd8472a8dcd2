import { describe, expect, it } from 'vitest';
import { QR_TEXT_MAX_CHARS, qrLines, qrModules } from '../../../client/qr/qr-code.ts';
import { readQrModules } from '../../support/read-qr.ts';

const LINK = `https://relay.example.com/w/build-7#code=${'aB3_-xYz'.repeat(5)}`;
const TEXTS = [
  ['a link of ours', LINK],
  ['one character', '7'],
  ['capital letters and digits', 'HTTPS://EXAMPLE.COM/42'],
  ['every printable character', Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')],
  ['the longest text', `https://example.com/#${'x'.repeat(QR_TEXT_MAX_CHARS - 21)}`],
] as const;

/** The quiet zone that the standard asks for. */
const QUIET = 4;

describe('the modules of a QR code', () => {
  it.each(TEXTS)('[J5] are read by another library as what was drawn: %s', (_, text) => {
    const modules = qrModules(text);
    const side = modules.length + 2 * QUIET;
    expect(modules.every((row) => row.length === modules.length)).toBe(true);
    const read = readQrModules(
      { columns: side, rows: side },
      (row, column) => modules[row - QUIET]?.[column - QUIET] ?? false,
    );
    expect(read).toBe(text);
  });

  it('[J5] are few for a link of ours', () => {
    expect(qrModules(LINK)).toHaveLength(37);
  });

  it('[J5] are refused for a text that would be too small to read', () => {
    expect(() => qrModules('x'.repeat(QR_TEXT_MAX_CHARS + 1))).toThrow(
      'This text is too long for a QR code: it has 513 characters, 512 are allowed.',
    );
  });

  it.each(['', 'größe', 'a\nb', '\x1b[0m'])('[J5] are refused for %j, which is no address', (text) => {
    expect(() => qrModules(text)).toThrow('A QR code needs text of printable ASCII characters.');
  });
});

describe('a QR code in a terminal', () => {
  const DARK_HALVES: Readonly<Record<string, readonly [upper: boolean, lower: boolean]>> = {
    ' ': [false, false],
    '▀': [true, false],
    '▄': [false, true],
    '█': [true, true],
  };
  const COLOURS = '\x1b[38;5;16;48;5;231m';
  const RESET = '\x1b[0m';
  /** What each line prints, without its colours. */
  const charsOf = (line: string) => [...line.slice(COLOURS.length, -RESET.length)];

  it.each(TEXTS)('[J5] is read by another library as what was drawn: %s', (_, text) => {
    const lines = qrLines(text).map(charsOf);
    const columns = lines[0]?.length ?? 0;
    expect(lines.every((chars) => chars.length === columns)).toBe(true);
    const read = readQrModules(
      { columns, rows: 2 * lines.length },
      (row, column) => DARK_HALVES[lines[row >> 1]?.[column] ?? '']?.[row % 2] ?? false,
    );
    expect(read).toBe(text);
  });

  it('[J5] is black on white in any theme, and leaves the colours as they were', () => {
    for (const line of qrLines(LINK)) {
      expect(charsOf(line).join('')).toMatch(/^[ ▀▄█]+$/);
      expect(line).toBe(COLOURS + charsOf(line).join('') + RESET);
    }
  });

  it('[J5] has two light modules on every side', () => {
    const lines = qrLines(LINK).map(charsOf);
    const side = qrModules(LINK).length + 4;
    expect(lines).toHaveLength(Math.ceil(side / 2));
    expect(lines[0]?.join('')).toBe(' '.repeat(side));
    expect(lines.at(-1)?.join('')).not.toMatch(/[▄█]/);
    for (const chars of lines) {
      expect(chars.slice(0, 2)).toEqual([' ', ' ']);
      expect(chars.slice(-2)).toEqual([' ', ' ']);
    }
  });
});
