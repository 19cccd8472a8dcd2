/**
 * Remembers the sequence that the parser has started and not finished, so that a snapshot can end with it. Output can
 * be cut anywhere, even inside an escape sequence or a character.
 *
 *   …text ESC [ 3 │ 1 m more     cut inside a sequence: `ESC [ 3` is pending
 *   …text E2 80 │ 94 more        cut inside a character: `E2 80` is held back, the parser has not seen it
 *
 * Incomplete characters are held back because xterm's decoder loses a character that is cut after a byte 0x80 (U+2014
 * as `E2 80 | 94` disappears).
 */
import { PARSER } from './xterm/xterm.ts';

const ESC = 0x1b;
const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** Sequences whose payload no longer matters, each as the shortest one that is ignored until it ends. */
const IGNORED_STRING = encoder.encode('\x1b_');
const IGNORED_OSC = encoder.encode('\x1b]!');
const IGNORED_DCS = encoder.encode('\x1bP0<');

/** A CSI or DCS has at most 32 parameters; anything after this many bytes of them has no effect. */
const PARAMETERS_MAX_BYTES = 4096;

interface ParserState {
  readonly state: number;
  readonly overlong: boolean;
}

/** The unfinished sequence, as the bytes that lead to the parser's state from its ground state. */
export class PendingSequence {
  /** Joined when somebody asks: an image comes in hundreds of chunks. */
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Whether the introducer is complete, so that everything that follows is payload. */
  #isPayload = false;

  get bytes(): Uint8Array {
    if (this.#chunks.length > 1) this.#set(joined(this.#chunks, this.#length), true);
    return this.#chunks[0] ?? NOTHING;
  }

  get length(): number {
    return this.#length;
  }

  /** `chunk` has just been parsed and left the parser in this state. */
  parsed(chunk: Uint8Array, { state, overlong }: ParserState): void {
    if (state === PARSER.ground) this.#set(NOTHING);
    else if (state === PARSER.sosPmApc) this.#set(IGNORED_STRING);
    else if (overlong && state === PARSER.osc) this.#set(IGNORED_OSC);
    else if (state === PARSER.dcsIgnore || (overlong && state >= PARSER.firstDcs)) this.#set(IGNORED_DCS);
    else this.#extend(chunk, state);
  }

  #extend(chunk: Uint8Array, state: number): void {
    const from = lastIntroducer(chunk);
    const isPayload = state === PARSER.osc || state === PARSER.dcsPassthrough;
    if (from === -1 && isPayload && this.#isPayload) {
      this.#chunks.push(chunk.slice());
      this.#length += chunk.length;
      return;
    }
    const sequence = from === -1 ? concat(this.bytes, chunk) : chunk.slice(from);
    if (state <= PARSER.lastExecuting) this.#set(withoutExecuted(sequence));
    else if (isPayload) this.#set(introducedAtOnce(sequence), true);
    else this.#set(introducedAtOnce(sequence).slice(0, PARAMETERS_MAX_BYTES));
  }

  #set(bytes: Uint8Array, isPayload = false): void {
    this.#chunks = [bytes];
    this.#length = bytes.length;
    this.#isPayload = isPayload;
  }
}

/** Every ESC starts a new sequence, and so do the C1 controls DCS, SOS, CSI, OSC, PM and APC, as UTF-8. -1: none. */
function lastIntroducer(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] === ESC) return at;
    if (chunk[at] === 0xc2 && C1_INTRODUCERS.has(chunk[at + 1] ?? 0)) return at;
  }
  return -1;
}

const C1_INTRODUCERS = new Set([0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);

/** A line feed inside a CSI was already executed; repeating the sequence must not repeat it. */
function withoutExecuted(sequence: Uint8Array): Uint8Array {
  return sequence.filter((byte) => byte >= 0x20 || byte === ESC).slice(0, PARAMETERS_MAX_BYTES);
}

/**
 * … nor the control characters between ESC and the `]` or `P` that starts a string. In between there may also be
 * invalid bytes, which the parser never sees, and DEL, which it ignores there.
 */
function introducedAtOnce(sequence: Uint8Array): Uint8Array {
  if (sequence[0] !== ESC) return sequence;
  const at = sequence.findIndex((byte) => byte >= 0x20 && byte < 0x7f);
  return at <= 1 ? sequence : concat(sequence.subarray(0, 1), sequence.subarray(at));
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second.slice();
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
