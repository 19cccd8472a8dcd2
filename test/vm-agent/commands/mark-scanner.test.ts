/** Where marks are found in output, however it is cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MARK_MAX_BYTES } from '../../../protocol/limits.ts';
import { MarkScanner } from '../../../vm-agent/commands/mark-scanner.ts';
import { checkProperty } from '../../support/property.ts';
import { referenceMarks, scannedMarks } from './reference-scanner.ts';

const places = (text: string) =>
  scannedMarks(text, []).map(({ mark, from, to }) => [mark.kind, text.slice(from, to)]);

/** Parts of streams, honest and hostile; bytes as characters. */
const PARTS = [
  '\x1b]133;A\x07',
  '\x1b]133;B\x1b\\',
  '\x1b]133;C;cmdline_url=make%20all\x07',
  '\x1b]133;D;1\x1b[31m',
  '\x1b]633;E;a\\x3bb\xc2\x9c',
  '\x1b]133;D;\x18',
  '\x1b]133;C;\xc2\x85',
  '\x1b]133;C;cmdline_url=\xc3\xa4\xc2\xa7\x07',
  '\x1b]0;title\x07',
  '\x1b]',
  '\x1b',
  '\x1b\x1b]133;',
  ']133;A\x07',
  '133;',
  '\xc2',
  '\\',
  '\x07',
  'plain text of a program\r\n',
  '\x1bP1$r\x1b]133;A\x07',
  '\x1b]13\x1b]1334;A\x07',
];

describe('marks in output', () => {
  it.each([
    ['with BEL', 'a\x1b]133;A\x07b', [['prompt', '\x1b]133;A\x07']]],
    ['with ST', 'a\x1b]133;C\x1b\\b', [['output', '\x1b]133;C\x1b\\']]],
    ['with C1 ST', '\x1b]133;C\xc2\x9cb', [['output', '\x1b]133;C\xc2\x9c']]],
    ['with another sequence, which is not part of it', '\x1b]133;D;0\x1b[m', [['end', '\x1b]133;D;0']]],
    [
      'with the next mark',
      '\x1b]133;D\x1b]133;A\x07',
      [
        ['end', '\x1b]133;D'],
        ['prompt', '\x1b]133;A\x07'],
      ],
    ],
    ['inside another string', '\x1bPq\x1b]133;A\x07', [['prompt', '\x1b]133;A\x07']]],
    ['aborted by CAN', '\x1b]133;A\x18\x07', []],
    ['aborted by a C1 control', '\x1b]133;A\xc2\x85\x07', []],
    ['of another number', '\x1b]1337;A\x07\x1b]33;A\x07\x1b]733;A\x07', []],
  ] as const)('[T3] are found: %s', (_, text, expected) => {
    expect(places(text)).toEqual(expected);
    expect(referenceMarks(text)).toEqual(scannedMarks(text, []));
  });

  it('[T3] are the same however the output is cut in two or three', () => {
    const text = `prompt\x1b]133;A\x07$ make\x1b]633;E;make\x1b\\\x1b]133;C\x1b\\out\x1b]133;D;2\xc2\x9c\x1b]0;t\x07`;
    const whole = referenceMarks(text);
    expect(whole.map(({ mark }) => mark.kind)).toEqual(['prompt', 'command', 'output', 'end']);
    for (let a = 0; a <= text.length; a++)
      for (let b = a; b <= text.length; b++) expect(scannedMarks(text, [a, b])).toEqual(whole);
    const everywhere = Array.from({ length: text.length }, (_, at) => at);
    expect(scannedMarks(text, everywhere)).toEqual(whole);
  });

  it('[T3] are those that a reader of single bytes finds', () => {
    const part = fc.oneof(
      fc.constantFrom(...PARTS),
      fc.string({
        unit: fc.constantFrom('\x1b', ']', '1', '3', '6', ';', 'A', 'D', '\x07', '\xc2', '\x9c', '\\'),
      }),
      fc.nat(40).map((length) => 'x'.repeat(length)),
    );
    const stream = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));
    checkProperty(
      'mark-scanner',
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
        expect(scannedMarks(text, cuts)).toEqual(referenceMarks(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('[T3] are dropped if they are longer than any of ours, and cost no more memory', () => {
    const longest = `\x1b]133;C;${'x'.repeat(MARK_MAX_BYTES - 2)}`;
    expect(places(`${longest}\x07`)).toHaveLength(1);
    expect(places(`${longest}x\x07\x1b]133;A\x07`)).toEqual([['prompt', '\x1b]133;A\x07']]);
    const scanner = new MarkScanner(() => {});
    scanner.scan(0, Buffer.from('\x1b]133;C;'));
    for (let at = 0; at < 100; at++) scanner.scan(8 + at * 1000, Buffer.alloc(1000, 'x'));
    expect(scanner.heldBytes).toBeLessThanOrEqual(MARK_MAX_BYTES);
  });
});
