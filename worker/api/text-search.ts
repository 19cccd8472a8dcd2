/** Looks for a pattern in what a program prints, as a person would read it: without colours, line by line. */
import { SequenceSplitter } from './escape-sequences.ts';
import type { Pattern } from './pattern.ts';

/** Of a line that is longer, its end is told. */
const LINE_MAX_CHARS = 1000;
const NEWLINE = 10;
const TAB = 9;
const SPACE = 32;

/** Sequences that go to another row, and those that go further right: words around them are not one word. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what sequences begin with
const TO_ANOTHER_ROW = /^\x1b(?:\[[\d;]*[ABEFHdf]|[DEM])$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what sequences begin with
const TO_THE_RIGHT = /^\x1b\[\d*[CG]$/;

export class TextSearch {
  readonly #pattern: Pattern;
  readonly #decoder = new TextDecoder();
  readonly #splitter: SequenceSplitter;
  #line = '';
  #found: string | undefined;

  constructor(pattern: Pattern) {
    this.#pattern = pattern;
    this.#splitter = new SequenceSplitter({
      text: (text) => this.#read(text),
      sequence: (sequence) => {
        if (TO_ANOTHER_ROW.test(sequence)) this.#read('\n');
        else if (TO_THE_RIGHT.test(sequence)) this.#read(' ');
      },
    });
  }

  /** The line in which the pattern was first found, up to there. */
  get found(): string | undefined {
    return this.#found;
  }

  output(bytes: Uint8Array): void {
    this.#splitter.write(this.#decoder.decode(bytes, { stream: true }));
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
      if (code < SPACE && code !== NEWLINE && code !== TAB) continue;
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

/** A line without what is for the terminal. */
function readable(line: string): string {
  return [...line]
    .filter((char) => char >= ' ' || char === '\t')
    .join('')
    .slice(-LINE_MAX_CHARS);
}
