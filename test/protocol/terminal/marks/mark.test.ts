import { describe, expect, it } from 'vitest';
import { COMMAND_LINE_MAX_CHARS, MARK_NONCE_MAX_CHARS } from '../../../../protocol/limits.ts';
import { type Mark, parseMark } from '../../../../protocol/terminal/marks/mark.ts';

const NOTHING_TOLD = { nonce: null, number: null, commandLine: null, exitCode: null };

describe('a mark of a shell', () => {
  it.each<[133 | 633, string, Partial<Mark>]>([
    [133, 'A', { kind: 'prompt' }],
    [633, 'A', { kind: 'prompt' }],
    [133, 'A;aid=7;cl=line;k=i', { kind: 'prompt' }],
    [133, 'B', { kind: 'input' }],
    [133, 'C', { kind: 'output' }],
    [133, 'D', { kind: 'end' }],
    [133, 'D;0', { kind: 'end', exitCode: 0 }],
    [633, 'D;130', { kind: 'end', exitCode: 130 }],
    [133, 'D;-1', { kind: 'end', exitCode: -1 }],
    [133, 'D;0;aid=7', { kind: 'end', exitCode: 0 }],
    [133, 'D;nonce=abc;n=4', { kind: 'end', nonce: 'abc', number: 4 }],
    [133, 'D;ten', { kind: 'end' }],
    [133, 'D;99999999999', { kind: 'end' }],
    [
      133,
      'C;nonce=abc;n=12;cmdline_url=ls%20-l',
      { kind: 'output', nonce: 'abc', number: 12, commandLine: 'ls -l' },
    ],
    [133, 'C;cmdline_url=a%3bb%0ac%25=é', { kind: 'output', commandLine: 'a;b\nc%=é' }],
    [133, 'C;cmdline_url=rm%1b[31m%7f%', { kind: 'output', commandLine: 'rm[31m%' }],
    [133, 'C;cmdline_url=%20', { kind: 'output' }],
    [133, 'C;n=1e3;nonce=', { kind: 'output' }],
    [133, 'A;cmdline_url=ls', { kind: 'prompt' }],
    [633, 'E;echo a\\x3bb \\\\n', { kind: 'command', commandLine: 'echo a;b \\n' }],
    [633, 'E;make;abc', { kind: 'command', commandLine: 'make', nonce: 'abc' }],
    [633, 'E', { kind: 'command' }],
  ])('%i;%s', (code, data, expected) => {
    expect(parseMark(code, data)).toEqual({ ...NOTHING_TOLD, ...expected });
  });

  it.each<[133 | 633, string]>([
    [133, ''],
    [133, 'a'],
    [133, 'AB'],
    [133, 'A;k=s'],
    [133, 'A;k=r'],
    [133, 'E;ls'],
    [633, 'P;Cwd=/tmp'],
  ])('is none that we use: %i;%s', (code, data) => {
    expect(parseMark(code, data)).toBeNull();
  });

  it.each([133, 633] as const)('%i has the text of a command up to a limit, and none beyond', (code) => {
    const mark = (chars: number) =>
      parseMark(code, `${code === 133 ? 'C;cmdline_url=' : 'E;'}${'x'.repeat(chars)}`)?.commandLine;
    expect(mark(COMMAND_LINE_MAX_CHARS)).toHaveLength(COMMAND_LINE_MAX_CHARS);
    expect(mark(COMMAND_LINE_MAX_CHARS + 1)).toBeNull();
  });

  it('has a nonce up to a limit, and none beyond', () => {
    const nonce = (chars: number) => parseMark(133, `A;nonce=${'x'.repeat(chars)}`)?.nonce;
    expect(nonce(MARK_NONCE_MAX_CHARS)).toHaveLength(MARK_NONCE_MAX_CHARS);
    expect(nonce(MARK_NONCE_MAX_CHARS + 1)).toBeNull();
  });
});
