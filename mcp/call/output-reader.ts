/** The Screen of a call that reads output: it keeps the first bytes, and takes no more than that. */
import type { Beginning, Screen } from '../../client/screen.ts';
import { joinBytes } from '../../protocol/join-bytes.ts';
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';
import { halfCharacterBytes } from '../../protocol/utf8.ts';

export interface ReadOutput {
  readonly bytes: Uint8Array;
  /** The end of what was read. */
  readonly offset: number;
  /** There is more. */
  readonly isCut: boolean;
  /** Bytes that are no longer kept. Nothing was read then. */
  readonly lostBytes: number;
}

const LINE_FEED = 10;
const ESCAPE = 27;

/** Longer ones are strings, such as images, and are not waited for. */
const SEQUENCE_MAX_BYTES = 64;

export class OutputReader implements Screen {
  readonly #maxBytes: number;
  #from: number;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #lostBytes = 0;

  constructor(from: number, maxBytes: number) {
    this.#from = from;
    this.#maxBytes = maxBytes;
  }

  /** Whether what follows does not matter. */
  get isOver(): boolean {
    return this.#lostBytes > 0 || this.#bytes > this.#maxBytes;
  }

  /** Cut at the end of a line, or of a character if there is none. */
  get read(): ReadOutput {
    const all = joinBytes(this.#pieces);
    const isCut = all.length > this.#maxBytes;
    const kept = isCut ? all.subarray(0, this.#maxBytes) : all;
    const line = isCut ? kept.lastIndexOf(LINE_FEED) + 1 : 0;
    const bytes = kept.subarray(0, line > 0 ? line : kept.length - unfinishedBytes(kept));
    return { bytes, offset: this.#from + bytes.length, isCut, lostBytes: this.#lostBytes };
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (this.isOver) return;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    // Output that is not acknowledged is not followed by more for long.
    if (!this.isOver) shown();
  }

  /** The output begins elsewhere: what was asked for is gone, or lies in the future. */
  reset(beginning?: Beginning): void {
    if (beginning === undefined || this.#bytes > 0) return;
    if (beginning.kind === 'snapshot')
      this.#lostBytes = Math.max(1, beginning.lost, beginning.offset - this.#from);
    else this.#from = beginning.offset;
  }

  resize(): void {}
}

/** A character or a sequence at the end of which only the beginning was printed yet: the next call reads it whole. */
function unfinishedBytes(bytes: Uint8Array): number {
  const sequence = bytes.subarray(Math.max(0, bytes.lastIndexOf(ESCAPE)));
  if (sequence[0] !== ESCAPE || sequence.length > SEQUENCE_MAX_BYTES) return halfCharacterBytes(bytes);
  const tokenizer = new Tokenizer();
  tokenizer.take(String.fromCharCode(...sequence));
  return tokenizer.isGround ? halfCharacterBytes(bytes) : sequence.length;
}
