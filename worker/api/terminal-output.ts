/**
 * Output for a terminal that is none of ours: raw, but for the questions in it. The agent answers a program's
 * questions (where is the cursor, what are you); a terminal at the other end would answer them once more, and what
 * it says would be typed into the program. So it does not get to hear them.
 */
import { SequenceSplitter } from './escape-sequences.ts';

/** Sequences that make a terminal say something, without their ESC. */
const QUESTIONS = [
  '\\[[>=?]?[\\d;]*c', // device attributes
  '\\[\\??[\\d;]*n', // status, cursor position
  '\\[\\??[\\d;]*\\$p', // is a mode set
  '\\[[\\d;]*x', // terminal parameters
  '\\[>[\\d;]*q', // version
  '\\[\\?[\\d;]*u', // keyboard protocol
  '\\[(?:1[1-9]|2[01])(?:;[\\d;]*)?t', // window and title reports
  'Z', // identify
  'P[$+]q.*', // settings, capabilities
  '\\](?:4|5|1\\d|52);.*\\?.*', // colours, clipboard
];
const QUESTION = new RegExp(`^(?:${QUESTIONS.join('|')})$`, 's');

/** Of sequences that are too long to be seen whole: these may be questions, and no program needs them so long. */
const DOUBTFUL = /^(?:\[|P[$+]q|\](?:4|5|1\d|52);)/;

const ESC = 0x1b;
const AT_ONCE = 8192;

export class TerminalOutput {
  readonly #splitter = new SequenceSplitter({
    text: (text) => this.#pass(text),
    sequence: (sequence) => {
      if (!QUESTION.test(sequence.slice(1))) this.#pass(sequence);
    },
    piece: (piece, isFirst) => {
      if (isFirst) this.#isDropping = DOUBTFUL.test(piece.slice(1));
      if (!this.#isDropping) this.#pass(piece);
    },
  });
  #out = '';
  #isDropping = false;

  /** What may be shown of `bytes`, byte for byte; the beginning of a sequence waits for its end. */
  take(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#splitter.isText && !bytes.includes(ESC)) return bytes;
    // One character per byte: sequences are ASCII, and everything else passes as it is.
    for (let at = 0; at < bytes.length; at += AT_ONCE) {
      this.#splitter.write(String.fromCharCode(...bytes.subarray(at, at + AT_ONCE)));
    }
    const out = Uint8Array.from(this.#out, (char) => char.charCodeAt(0));
    this.#out = '';
    return out;
  }

  #pass(text: string): void {
    this.#out += text;
  }
}
