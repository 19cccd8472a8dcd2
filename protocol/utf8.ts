/**
 * Finds character boundaries in a UTF-8 stream that is cut anywhere. xterm's decoder loses a character that is cut
 * after a byte 0x80 (U+2014 as `E2 80 | 94` disappears), so terminals are fed only whole characters.
 */

const NOTHING = new Uint8Array(0);

/** Holds back the beginning of a character until the rest arrives. */
export class CharacterJoiner {
  #held: Uint8Array<ArrayBuffer> = NOTHING;

  /** Everything that can be shown now: all but an incomplete character at the end. */
  take(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let all = bytes;
    if (this.#held.length > 0) {
      all = new Uint8Array(this.#held.length + bytes.length);
      all.set(this.#held);
      all.set(bytes, this.#held.length);
    }
    const whole = all.length - halfCharacterBytes(all);
    this.#held = all.slice(whole);
    return all.subarray(0, whole);
  }

  /** Another stream begins; held bytes belong to the old one. */
  reset(): void {
    this.#held = NOTHING;
  }
}

/** How many bytes at the end of `chunk` are the beginning of an incomplete character: 0 to 3. */
export function halfCharacterBytes(chunk: Uint8Array): number {
  const last = chunk.length - 1;
  for (let back = 0; back < 3 && back <= last; back++) {
    const byte = chunk[last - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue; // inside a character: look further back for its first byte
    return back + 1 < characterBytes(byte) ? back + 1 : 0;
  }
  return 0;
}

function characterBytes(first: number): number {
  if (first >= 0xf0 && first < 0xf8) return 4;
  if (first >= 0xe0) return first < 0xf0 ? 3 : 1;
  return first >= 0xc0 ? 2 : 1;
}
