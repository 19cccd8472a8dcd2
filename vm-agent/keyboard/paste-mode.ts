/**
 * Whether the program in a terminal wants pastes to be marked (mode 2004, bracketed paste). It reads the output for the
 * sequence by which programs set and reset that mode alone, as shells and editors do; pieces may be cut anywhere.
 */

export const PASTE = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** A text as a terminal sends it when it is pasted. */
export function pasted(text: string): string {
  return `${PASTE}${text.replaceAll(PASTE_END, '').replaceAll('\n', '\r')}${PASTE_END}`;
}

const SEQUENCE = Buffer.from('\x1b[?2004');
const SET = 0x68; // h
const RESET = 0x6c; // l

export class PasteMode {
  #isOn = false;
  /** The end of the last piece, if it may be the beginning of the sequence. */
  #held: Buffer = Buffer.alloc(0);

  get isOn(): boolean {
    return this.#isOn;
  }

  printed(piece: Uint8Array): void {
    let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (this.#held.length > 0) bytes = Buffer.concat([this.#held, bytes]);
    let at = bytes.indexOf(SEQUENCE);
    for (; at !== -1 && at + SEQUENCE.length < bytes.length; at = bytes.indexOf(SEQUENCE, at + 1)) {
      const final = bytes[at + SEQUENCE.length];
      if (final === SET) this.#isOn = true;
      if (final === RESET) this.#isOn = false;
    }
    // A copy, because the piece is valid during this call only.
    this.#held = Buffer.from(bytes.subarray(at === -1 ? cutAt(bytes) : at));
  }
}

/** Where the sequence may have begun that the next piece continues. */
function cutAt(bytes: Buffer): number {
  for (let length = Math.min(SEQUENCE.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(SEQUENCE.subarray(0, length)))
      return bytes.length - length;
  return bytes.length;
}
