/**
 * Whether the program in a terminal wants pastes to be marked (mode 2004, bracketed paste). It reads the output for the
 * sequence by which programs set and reset that mode alone, as shells and editors do; pieces may be cut anywhere.
 */

export const PASTE = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** A text as a terminal sends it when it is pasted. It cannot end the paste by itself. */
export function pasted(text: string): string {
  return `${PASTE}${withoutEnd(text).replaceAll('\n', '\r')}${PASTE_END}`;
}

/** What is left after one was removed may be another. */
function withoutEnd(text: string): string {
  let rest = text;
  while (rest.includes(PASTE_END)) rest = rest.replaceAll(PASTE_END, '');
  return rest;
}

const ESC = 0x1b;
const SEQUENCE = Buffer.from('\x1b[?2004');
const SET = 0x68; // h
const RESET = 0x6c; // l
const NOTHING = Buffer.alloc(0);

export class PasteMode {
  #isOn = false;
  /** The end of the last piece, if it may be the beginning of the sequence. */
  #held = NOTHING;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Called for every read of the terminal: a piece without ESC costs one search for that byte. */
  printed(piece: Uint8Array): void {
    let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (this.#held.length > 0) {
      bytes = Buffer.concat([this.#held, bytes]);
      this.#held = NOTHING;
    } else if (bytes.indexOf(ESC) === -1) return;
    let at = bytes.indexOf(SEQUENCE);
    for (; at !== -1 && at + SEQUENCE.length < bytes.length; at = bytes.indexOf(SEQUENCE, at + 1)) {
      const final = bytes[at + SEQUENCE.length];
      if (final === SET) this.#isOn = true;
      if (final === RESET) this.#isOn = false;
    }
    const rest = at === -1 ? cutAt(bytes) : at;
    // A copy, because the piece is valid during this call only.
    if (rest < bytes.length) this.#held = Buffer.from(bytes.subarray(rest));
  }
}

/** Where the sequence may have begun that the next piece continues. */
function cutAt(bytes: Buffer): number {
  const at = bytes.lastIndexOf(ESC);
  const rest = bytes.length - at;
  const isBegun = at !== -1 && rest < SEQUENCE.length && bytes.compare(SEQUENCE, 0, rest, at) === 0;
  return isBegun ? at : bytes.length;
}
