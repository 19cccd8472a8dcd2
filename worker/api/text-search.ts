/** Looks for a pattern in what a program prints, as a person would read it: without colours, line by line. */
import type { Token } from '../../protocol/terminal/token.ts';
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';
import type { Pattern } from './pattern.ts';

/** Of a line that is longer, its end is told. */
const LINE_MAX_CHARS = 1000;
const NEWLINE = 10;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;

/** Final bytes of sequences that go to another row, and of those that go further right: words around them are not one word. */
const TO_ANOTHER_ROW = 'ABEFHdf';
const TO_ANOTHER_ROW_ESCAPES = 'DEM';
const TO_THE_RIGHT = 'CG';

export class TextSearch {
  readonly #pattern: Pattern;
  readonly #decoder = new TextDecoder();
  readonly #tokenizer = new Tokenizer();
  #line = '';
  #found: string | undefined;

  constructor(pattern: Pattern) {
    this.#pattern = pattern;
  }

  /** The line in which the pattern was first found, up to there. */
  get found(): string | undefined {
    return this.#found;
  }

  output(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    for (const token of this.#tokenizer.take(text)) this.#read(asText(token));
    if (this.#found === undefined && this.#pattern.rest()) this.#found = readable(this.#line);
  }

  /**
   * A picture of the screen as text. What follows the last word of a row is not in it, so it is read once more with a
   * blank there: a prompt ends with one.
   */
  screen(text: string): void {
    for (const picture of [text, text.replaceAll('\n', ' \n')]) {
      this.#read(picture);
      if (this.#found === undefined && this.#pattern.rest()) this.#found = readable(this.#line);
      this.restart();
    }
  }

  /** What follows does not go on where the last piece ended. */
  restart(): void {
    this.#line = '';
    this.#pattern.restart();
  }

  #read(text: string): void {
    if (this.#found !== undefined) return;
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) ?? 0;
      if ((code < SPACE || code === DELETE) && code !== NEWLINE && code !== TAB) continue;
      if (code > 0xffff) at++; // two units of UTF-16
      if (this.#pattern.step(code)) {
        const end = code === NEWLINE ? at : at + 1;
        this.#found = readable(this.#line + text.slice(from, end));
        return;
      }
      if (code !== NEWLINE) continue;
      this.#line = '';
      from = at + 1;
    }
    this.#line = (this.#line + text.slice(from)).slice(-LINE_MAX_CHARS);
  }
}

function asText(token: Token): string {
  switch (token.kind) {
    case 'text':
      return token.text;
    case 'control':
      return token.char;
    case 'escape':
      return token.intermediates === '' && TO_ANOTHER_ROW_ESCAPES.includes(token.final) ? '\n' : '';
    case 'csi':
      if (token.prefix !== '' || token.intermediates !== '') return '';
      if (TO_ANOTHER_ROW.includes(token.final)) return '\n';
      return TO_THE_RIGHT.includes(token.final) ? ' ' : '';
    default:
      return '';
  }
}

/** A line without what is for the terminal. */
function readable(line: string): string {
  return [...line]
    .filter((char) => char >= ' ' || char === '\t')
    .join('')
    .slice(-LINE_MAX_CHARS);
}
