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
/** Its end, which is rarer in output than its beginning, so that a search for it seldom stops. */
const RARE = SEQUENCE.subarray(2);
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

  /** Called for every read of the terminal: nearly always, it costs one search for a byte. */
  printed(piece: Uint8Array): void {
    let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (this.#held.length > 0) {
      bytes = Buffer.concat([this.#held, bytes]);
      this.#held = NOTHING;
    }
    for (let at = bytes.indexOf(RARE); at !== -1; at = bytes.indexOf(RARE, at + 1)) {
      const start = at + RARE.length - SEQUENCE.length;
      if (start >= 0 && isBegun(bytes, start)) this.#set(bytes[at + RARE.length]);
    }
    const rest = cutAt(bytes);
    // A copy, because the piece is valid during this call only.
    if (rest < bytes.length) this.#held = Buffer.from(bytes.subarray(rest));
  }

  #set(final: number | undefined): void {
    if (final === SET) this.#isOn = true;
    if (final === RESET) this.#isOn = false;
  }
}

/** Where the sequence may have begun that the next piece continues. */
function cutAt(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - SEQUENCE.length; at--)
    if (bytes[at] === ESC) return isBegun(bytes, at) ? at : bytes.length;
  return bytes.length;
}

/** Whether the sequence is at this place, as far as there are bytes. */
function isBegun(bytes: Buffer, at: number): boolean {
  const length = Math.min(SEQUENCE.length, bytes.length - at);
  return bytes.compare(SEQUENCE, 0, length, at, at + length) === 0;
}
