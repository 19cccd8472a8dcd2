/**
 * Finds the marks of shells (OSC 133 and 633) in a session's output, with their offsets. It is given all output, in
 * pieces that may be cut anywhere. In a terminal, `ESC ]` begins an OSC whatever precedes it, so everything else is
 * skipped by a search for these two bytes.
 *
 *            ESC          ]             133; or 633;          BEL, ST, any ESC
 *   outside ─────► escape ───► number ───────────────► data ────────────────────► found
 *      ▲                         │ anything else         │ CAN, SUB, C1 other than ST, too long
 *      └─────────────────────────┴───────────────────────┘
 *
 * Other control characters inside a mark are left out, as terminals do. What is kept of an unfinished mark is bounded.
 */
import { MARK_MAX_BYTES } from '../../protocol/limits.ts';
import { type Mark, type MarkCode, parseMark } from '../../protocol/terminal/marks/mark.ts';

export interface FoundMark {
  readonly mark: Mark;
  /** Offset of its first byte. */
  readonly from: number;
  /** Offset after its last byte. */
  readonly to: number;
}

type State =
  | 'outside'
  | 'escape'
  | 'number'
  | 'data'
  /** An ESC inside a mark: it ends there, or after the `\` that follows. */
  | 'data, ESC'
  /** A byte 0xC2 inside a mark: the next one may make it a C1 control. */
  | 'data, C2';

const OSC = Buffer.from('\x1b]');
const ESC = 0x1b;
const BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const SPACE = 0x20;
const C1_LEAD = 0xc2;
const C1_ST = 0x9c;
const C1_FIRST = 0x80;
const C1_LAST = 0x9f;
const ONE = 0x31;
const SIX = 0x36;
/** What follows the first digit of both numbers. */
const AFTER_FIRST = Buffer.from('33;');

/** So many bytes are looked at before a search is started: starting one takes longer, and sequences come in crowds. */
const LOOK_BYTES = 16;

/** Fits most marks; longer ones let it grow up to MARK_MAX_BYTES. */
const FIRST_BYTES = 256;

export class MarkScanner {
  readonly #found: (found: FoundMark) => void;
  readonly #isWanted: (data: Buffer) => boolean;
  #state: State = 'outside';
  /** Offset of the ESC that began the current sequence. */
  #from = 0;
  #code: MarkCode = 133;
  /** How many characters of the number were read. */
  #digits = 0;
  #data = Buffer.alloc(0);
  #length = 0;

  /** `isWanted` decides before a mark is parsed, which takes most of the time. */
  constructor(found: (found: FoundMark) => void, isWanted: (data: Buffer) => boolean = () => true) {
    this.#found = found;
    this.#isWanted = isWanted;
  }

  /** The memory that is held between two pieces. */
  get heldBytes(): number {
    return this.#data.length;
  }

  /** `piece` was printed at `offset`, right after what was given before. It may be reused after the call. */
  scan(offset: number, piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const { length } = bytes;
    for (let at = 0; at < length; at++) {
      if (this.#state === 'outside') {
        at = nextEscape(bytes, at);
        if (at === -1) return;
      }
      this.#step(bytes[at] as number, offset + at);
    }
  }

  #step(byte: number, at: number): void {
    switch (this.#state) {
      case 'outside':
        return this.#leave(byte, at);
      case 'escape':
        if (byte !== BRACKET) return this.#leave(byte, at);
        this.#digits = 0;
        this.#state = 'number';
        return;
      case 'number':
        return this.#number(byte, at);
      case 'data':
        return this.#datum(byte, at);
      case 'data, ESC': {
        const isST = byte === BACKSLASH;
        this.#end(isST ? at + 1 : at - 1);
        if (isST) return;
        // That ESC has also begun another sequence.
        this.#from = at - 1;
        this.#state = 'escape';
        return this.#step(byte, at);
      }
      case 'data, C2':
        this.#state = 'data';
        if (byte === C1_ST) return this.#end(at + 1);
        if (byte >= C1_FIRST && byte <= C1_LAST) return this.#leave(byte, at);
        this.#keep(C1_LEAD);
        return this.#datum(byte, at);
    }
  }

  #number(byte: number, at: number): void {
    if (this.#digits === 0 && (byte === ONE || byte === SIX)) {
      this.#code = byte === ONE ? 133 : 633;
      this.#digits = 1;
    } else if (this.#digits > 0 && byte === AFTER_FIRST[this.#digits - 1]) {
      this.#digits++;
      if (this.#digits <= AFTER_FIRST.length) return;
      this.#length = 0;
      this.#state = 'data';
    } else this.#leave(byte, at);
  }

  #datum(byte: number, at: number): void {
    if (byte === ESC) this.#state = 'data, ESC';
    else if (byte === C1_LEAD) this.#state = 'data, C2';
    else if (byte >= SPACE) this.#keep(byte);
    else if (byte === BEL) this.#end(at + 1);
    else if (byte === CAN || byte === SUB) this.#leave(byte, at);
  }

  #keep(byte: number): void {
    if (this.#length === MARK_MAX_BYTES) {
      this.#state = 'outside';
      return;
    }
    if (this.#length === this.#data.length) this.#grow();
    this.#data[this.#length++] = byte;
  }

  #grow(): void {
    const larger = Buffer.alloc(Math.min(MARK_MAX_BYTES, Math.max(FIRST_BYTES, this.#length * 2)));
    larger.set(this.#data);
    this.#data = larger;
  }

  #end(to: number): void {
    this.#state = 'outside';
    const data = this.#data.subarray(0, this.#length);
    if (!this.#isWanted(data)) return;
    const mark = parseMark(this.#code, data.toString());
    if (mark !== null) this.#found({ mark, from: this.#from, to });
  }

  /** The current sequence is no mark; `byte` may begin another. */
  #leave(byte: number, at: number): void {
    this.#from = at;
    this.#state = byte === ESC ? 'escape' : 'outside';
  }
}

/** Where the next sequence begins that may be an OSC, at or after `at`; -1: nowhere. The last byte may be an ESC. */
function nextEscape(bytes: Buffer, at: number): number {
  const looked = Math.min(bytes.length, at + LOOK_BYTES);
  for (let i = at; i < looked; i++) if (bytes[i] === ESC) return i;
  if (looked === bytes.length) return -1;
  const found = bytes.indexOf(OSC, looked);
  if (found !== -1) return found;
  return bytes[bytes.length - 1] === ESC ? bytes.length - 1 : -1;
}
