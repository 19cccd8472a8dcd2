/** Converts a program's output to plain text for searching. Sequences that move to another line become line breaks. */

import type { Screen } from '../../client/screen.ts';
import type { CsiToken, Token } from '../../protocol/terminal/token.ts';
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';

/** How much of the end is searched; more than any screen holds. */
const KEPT_CHARS = 256 * 1024;

/** No layout has more columns than this. */
const GAP_MAX_COLUMNS = 1000;

export class PrintedText implements Screen {
  readonly #decoder = new TextDecoder();
  readonly #tokenizer = new Tokenizer();
  readonly #listeners = new Set<() => void>();
  #text = '';
  /**
   * Counted while printing, because finding the start of the line would read the whole text for every cursor movement.
   */
  #column = 0;

  get text(): string {
    return this.#text;
  }

  /** Calls `listener` after every change; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const output = this.#decoder.decode(bytes, { stream: true });
    for (const token of this.#tokenizer.take(output)) this.#append(this.#asText(token));
    this.#text = this.#text.slice(-KEPT_CHARS);
    shown();
    for (const listener of [...this.#listeners]) listener();
  }

  reset(): void {
    this.#decoder.decode(); // drops an incomplete character
    this.#tokenizer.reset();
    this.#text = '';
    this.#column = 0;
  }

  resize(): void {}

  #asText(token: Token): string {
    if (token.kind === 'text') return token.text;
    if (token.kind === 'control') return this.#control(token.char);
    return token.kind === 'csi' ? this.#movement(token) : '';
  }

  /** A carriage return starts the line again, which counts as a new line; together with a line feed it counts once. */
  #control(char: string): string {
    if (char === '\t') return '\t';
    if (char === '\r' || char === '\n') return this.#atLineStart ? '' : '\n';
    return '';
  }

  #movement({ prefix, parameters, final }: CsiToken): string {
    if (prefix !== '') return '';
    const count = Math.min(Number.parseInt(parameters, 10) || 1, GAP_MAX_COLUMNS);
    if (final === 'C') return ' '.repeat(count);
    if (final === 'G') return ' '.repeat(Math.max(0, count - 1 - this.#column));
    return 'ABEFHdf'.includes(final) && !this.#atLineStart ? '\n' : '';
  }

  get #atLineStart(): boolean {
    return this.#column === 0;
  }

  #append(piece: string): void {
    const lineEnd = piece.lastIndexOf('\n');
    this.#column = lineEnd < 0 ? this.#column + piece.length : piece.length - lineEnd - 1;
    this.#text += piece;
    // A few bytes may move by a thousand columns, so one write can append far more than is kept.
    if (this.#text.length > 2 * KEPT_CHARS) this.#text = this.#text.slice(-KEPT_CHARS);
  }
}
