/**
 * Searches a program's output for a pattern in the text a person would read: without escape sequences, line by line.
 */
import type { Token } from '../../protocol/terminal/token.ts';
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';
import type { Pattern } from './pattern.ts';

/** Every runtime of ours has it, but this folder is compiled with the types of the language alone. */
declare const TextDecoder: new () => {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
};

/** Of a longer line, only the end is reported. */
const LINE_MAX_CHARS = 1000;
/** Characters searched without a pause. With the costliest pattern, one piece uses one slice (SEARCH_SLICE_STEPS). */
const PIECE_LENGTH = 256;
/** What a control character or a sequence costs, in steps of a pattern: it is an object of its own. */
const TOKEN_STEPS = 10;
/** What the end of a line costs in addition. */
const LINE_STEPS = 2;
const NEWLINE = 10;
const RETURN = 13;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;

/**
 * Final bytes of sequences that move to another row or to the right. Words before and after them are separate words.
 */
const TO_ANOTHER_ROW = 'ABEFHdf';
const TO_ANOTHER_ROW_ESCAPES = 'DEM';
const TO_THE_RIGHT = 'CG';

export class TextSearch {
  readonly #pattern: Pattern;
  #decoder = new TextDecoder();
  readonly #tokenizer = new Tokenizer();
  #line = '';
  #parsingSteps = 0;
  #isLineEmpty = true;
  /** A carriage return ended what was printed. Unless a line feed follows, another line begins in its place. */
  #isReturned = false;
  #found: string | undefined;

  constructor(pattern: Pattern) {
    this.#pattern = pattern;
  }

  /** The line with the first match, up to the end of the match. */
  get found(): string | undefined {
    return this.#found;
  }

  /** The cost so far, in pattern steps. A byte of output, or a character of a screen, costs at least one. */
  get steps(): number {
    return this.#pattern.steps + this.#parsingSteps;
  }

  output(bytes: Uint8Array): void {
    for (const _ of this.outputPieces(bytes));
  }

  /** The same in pieces, so that the caller can pause between them. */
  *outputPieces(bytes: Uint8Array): Generator<void> {
    for (const tokens of this.#parse(bytes)) {
      for (const token of tokens) this.#read(asText(token));
      yield;
    }
    this.#rest();
  }

  /** Parses output before the searched part. It may end inside a sequence or a character. */
  *skipPieces(bytes: Uint8Array): Generator<void> {
    for (const _ of this.#parse(bytes)) yield;
  }

  *#parse(bytes: Uint8Array): Generator<readonly Token[]> {
    for (let at = 0; at < bytes.length; at += PIECE_LENGTH) {
      const piece = bytes.subarray(at, at + PIECE_LENGTH);
      const tokens = this.#tokenizer.take(this.#decoder.decode(piece, { stream: true }));
      this.#parsingSteps += piece.length + TOKEN_STEPS * tokens.length;
      yield tokens;
    }
  }

  screen(text: string): void {
    for (const _ of this.screenPieces([text]));
  }

  /**
   * Searches a screen given as text, in parts. Blanks after the last word of a row are missing in it, so it is searched
   * a second time with one blank added: a prompt ends with a blank. The screen may be long, so the blanks are added
   * piece by piece.
   */
  *screenPieces(texts: Iterable<string>): Generator<void> {
    for (const endOfRow of ['\n', ' \n']) {
      for (const text of texts) {
        for (let at = 0; at < text.length; ) {
          // Do not split a surrogate pair.
          const end = at + PIECE_LENGTH - (isHighSurrogate(text.charCodeAt(at + PIECE_LENGTH - 1)) ? 1 : 0);
          const piece = text.slice(at, end);
          this.#parsingSteps += piece.length;
          this.#read(piece.replaceAll('\n', endOfRow));
          at = end;
          yield;
        }
      }
      this.#rest();
      this.restart();
    }
  }

  #rest(): void {
    if (this.#found === undefined && this.#pattern.rest()) this.#find('');
  }

  /** The next piece does not continue the last one. */
  restart(): void {
    this.#decoder = new TextDecoder();
    this.#tokenizer.reset();
    this.#line = '';
    this.#isLineEmpty = true;
    this.#isReturned = false;
    this.#pattern.restart();
  }

  #read(text: string): void {
    if (this.#found !== undefined) return;
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) ?? 0;
      if (code === RETURN) this.#isReturned = !this.#isLineEmpty;
      if ((code < SPACE || code === DELETE) && code !== NEWLINE && code !== TAB) continue;
      if (this.#isReturned && code !== NEWLINE) {
        if (this.#pattern.step(NEWLINE)) return this.#find(text.slice(from, at));
        this.#line = '';
        from = at;
      }
      this.#isReturned = false;
      this.#isLineEmpty = code === NEWLINE;
      if (code > 0xffff) at++; // a surrogate pair
      if (this.#pattern.step(code)) return this.#find(text.slice(from, code === NEWLINE ? at : at + 1));
      if (code !== NEWLINE) continue;
      this.#parsingSteps += LINE_STEPS;
      this.#line = '';
      from = at + 1;
    }
    this.#line = (this.#line + text.slice(from)).slice(-LINE_MAX_CHARS);
  }

  #find(rest: string): void {
    this.#found = readable(this.#line + rest);
  }
}

export function asText(token: Token): string {
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

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** A line without control characters. */
function readable(line: string): string {
  return [...line]
    .filter((char) => char >= ' ' || char === '\t')
    .join('')
    .slice(-LINE_MAX_CHARS);
}
