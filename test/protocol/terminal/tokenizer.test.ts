/** Terminal output as tokens, however it is split. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CSI_MAX_CHARS, STRING_MAX_CHARS } from '../../../protocol/limits.ts';
import { type Token, written } from '../../../protocol/terminal/token.ts';
import { Tokenizer } from '../../../protocol/terminal/tokenizer.ts';
import { checkProperty } from '../../support/property.ts';

const csi = (prefix: string, parameters: string, intermediates: string, final: string): Token => ({
  kind: 'csi',
  prefix,
  parameters,
  intermediates,
  final,
});
const text = (content: string): Token => ({ kind: 'text', text: content });
const control = (char: string): Token => ({ kind: 'control', char });
const escaped = (final: string, intermediates = ''): Token => ({ kind: 'escape', intermediates, final });
const string = (introducer: string, data: string, end: '\x07' | '\x1b\\' = '\x1b\\'): Token => ({
  kind: 'string',
  introducer,
  data,
  end,
});

describe('tokens', () => {
  it.each<[what: string, input: string, tokens: Token[]]>([
    ['text and controls', 'a\r\n漢👍', [text('a'), control('\r'), control('\n'), text('漢👍')]],
    ['CSI', '\x1b[?1;2:3$p', [csi('?', '1;2:3', '$', 'p')]],
    ['CSI by a C1 control', '\u009b31m', [csi('', '31', '', 'm')]],
    ['controls inside CSI', '\x1b[3\r1\x05m', [control('\r'), control('\x05'), csi('', '31', '', 'm')]],
    ['DEL inside CSI', '\x1b\x7f[\x7f31m', [csi('', '31', '', 'm')]],
    ['a malformed CSI', '\x1b[1?c\x1b[1 2m\x1b[   mx', [text('x')]],
    ['CSI interrupted by a character beyond ASCII', '\x1b[3漢m\x1b[3👍m', [text('m'), text('m')]],
    ['CSI interrupted by another', '\x1b[1\x1b[2m', [csi('', '2', '', 'm')]],
    ['CSI cancelled', 'a\x1b[3\x18b\x1b[3\x1ac', [text('a'), text('b'), text('c')]],
    ['CAN outside a sequence', '\x18', [control('\x18')]],
    ['escapes', '\x1b7\x1b(B\x1b\\', [escaped('7'), escaped('B', '('), escaped('\\')]],
    ['C1 controls', '\u0085\u009a\u009c', [escaped('E'), escaped('Z')]],
    ['too many intermediates', '\x1b    Fx', [text('x')]],
    ['OSC ended by BEL', '\x1b]0;t\x07x', [string(']', '0;t', '\x07'), text('x')]],
    ['OSC ended by ST', '\x1b]0;t\x1b\\x', [string(']', '0;t'), text('x')]],
    ['OSC with C1 controls', '\u009d0;t\u009cx', [string(']', '0;t'), text('x')]],
    [
      'OSC ended by another sequence',
      '\x1b]0;t\x1b[1mx',
      [string(']', '0;t'), csi('', '1', '', 'm'), text('x')],
    ],
    ['OSC cancelled', '\x1b]0;t\x18x', [text('x')]],
    ['OSC cancelled by a C1 control', '\x1b]0;t\u009b1m', [csi('', '1', '', 'm')]],
    ['controls inside a string', '\x1bPq\x07a\n\x7fb\x1b\\', [string('P', 'qab')]],
    [
      'APC, PM, SOS',
      '\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\',
      [string('_', 'a'), string('^', 'b'), string('X', 'c')],
    ],
  ])('[X15] reads %s', (_, input, tokens) => {
    expect(new Tokenizer().take(input)).toEqual(tokens);
    expect(cutEverywhere(input)).toEqual(merged(tokens));
  });

  it('[X15] drops a CSI sequence one character longer than the limit', () => {
    for (const [length, count] of [
      [CSI_MAX_CHARS, 1],
      [CSI_MAX_CHARS + 1, 0],
    ] as const) {
      const sequence = `\x1b[${'1'.repeat(length)}m`;
      expect(new Tokenizer().take(sequence)).toHaveLength(count);
      expect(cutEverywhere(sequence)).toHaveLength(count);
    }
  });

  it('[X15] passes on a string one character longer than the limit in parts', () => {
    const data = 'x'.repeat(STRING_MAX_CHARS);
    expect(new Tokenizer().take(`\x1b]${data}\x07`)).toEqual([string(']', data, '\x07')]);
    expect(new Tokenizer().take(`\x1b]${data}y\x07`)).toEqual([
      { kind: 'long-start', introducer: ']', data },
      { kind: 'long-more', data: 'y' },
      { kind: 'long-end', end: '\x07' },
    ]);
  });

  it('[X15] for any input, split anywhere, the tokens are the same and encode to themselves', () => {
    const part = fc.constantFrom(
      ...['\x1b', '[', ']', 'P', '\\', '\x07', '\x18', '\u009b', '\u009c', '\u0090', '\u0085', '\x7f', '\r'],
      ...['1', ';', ':', '?', '$', ' ', 'm', 'c', 'q', 'a', '漢', '👍', '\x1b[', '\x1b]0;', '\x1b[1;31m'],
    );
    checkProperty(
      'tokenizer',
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const whole = merged(new Tokenizer().take(parts.join('')));
        const tokenizer = new Tokenizer();
        expect(merged(parts.flatMap((one) => tokenizer.take(one)))).toEqual(whole);
        expect(merged(new Tokenizer().take(whole.map(written).join('')))).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });
});

/** One code point at a time. */
function cutEverywhere(input: string): Token[] {
  const tokenizer = new Tokenizer();
  return merged([...input].flatMap((char) => tokenizer.take(char)));
}

/** Neighbouring texts are one. */
function merged(tokens: readonly Token[]): Token[] {
  const all: Token[] = [];
  for (const token of tokens) {
    const last = all.at(-1);
    if (token.kind === 'text' && last?.kind === 'text') all[all.length - 1] = text(last.text + token.text);
    else all.push(token);
  }
  return all;
}
