/**
 * Filters output for a third-party terminal: device queries are removed. The agent already answers a program's queries;
 * a second answer from this terminal would be typed into the program.
 *
 * Plain output is forwarded byte for byte, even if it is not UTF-8. Sequences are written in their 7-bit form, so that
 * the terminal parses them exactly as the filter did. Counts are bounded by the terminal's size, so that no sequence
 * keeps it busy for minutes. Images pass, for terminals that draw them. Those in a snapshot have a form that only our own
 * terminals know, and may be megabytes; they are removed.
 */
import type { Size } from '../../../protocol/frame.ts';
import { withBoundedCount } from '../../../protocol/terminal/count-bounds.ts';
import { isSnapshotImage } from '../../../protocol/terminal/images/snapshot-images.ts';
import { isDeviceQuery } from '../../../protocol/terminal/is-device-query.ts';
import { type Token, written } from '../../../protocol/terminal/token.ts';
import { Tokenizer } from '../../../protocol/terminal/tokenizer.ts';
import { CharacterJoiner } from '../../../protocol/utf8.ts';
import { rawBytes, rawText } from './raw-text.ts';

/** ENQ, ESC, C1 controls, and the character that stands for a sequence byte of a terminal without UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what this is about
const NEEDS_FILTER = /[\x05\x1b\x80-\x9f\ufffd]/;

export class TerminalOutput {
  readonly #characters = new CharacterJoiner();
  readonly #tokenizer = new Tokenizer();
  #size: Size;
  /** Inside a long string that may be a query, or an image of a snapshot. */
  #isDropping = false;

  constructor(size: Size) {
    this.#size = size;
  }

  /** The filtered output. An incomplete character or sequence is held back until its end arrives. */
  take(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const whole = this.#characters.take(bytes);
    const text = rawText(whole);
    if (this.#tokenizer.isGround && !NEEDS_FILTER.test(text)) return whole;
    let out = '';
    for (const token of this.#tokenizer.take(text)) if (this.#mayPass(token)) out += this.#bounded(token);
    return rawBytes(out);
  }

  /** Whether our own bytes may be sent now, because no sequence is unfinished. */
  get isBetweenSequences(): boolean {
    return this.#tokenizer.isGround;
  }

  /** The terminal that produces the output was resized. */
  resize(size: Size): void {
    this.#size = size;
  }

  /** Another stream begins. */
  reset(): void {
    this.#characters.reset();
    this.#tokenizer.reset();
    this.#isDropping = false;
  }

  #bounded(token: Token): string {
    return written(token.kind === 'csi' ? withBoundedCount(token, this.#size) : token);
  }

  #mayPass(token: Token): boolean {
    if (token.kind === 'long-start') this.#isDropping = isDeviceQuery(token) || isSnapshotImage(token);
    if (token.kind === 'long-more') return !this.#isDropping;
    if (token.kind === 'long-end') {
      const wasDropping = this.#isDropping;
      this.#isDropping = false;
      return !wasDropping;
    }
    return !isDeviceQuery(token) && !isSnapshotImage(token);
  }
}
