/**
 * Converts bytes to text and back without loss, even if they are not UTF-8. A byte that belongs to no character becomes
 * a lone surrogate, U+DC00 plus its value, and is converted back to the same byte.
 *
 * The exception are bytes that begin or end a sequence in terminals without UTF-8 (DCS, SOS, DECID, CSI, ST, OSC, PM,
 * APC). They become U+FFFD, which is what a UTF-8 terminal shows for them.
 */

const REPLACEMENT = '\ufffd';
const SEQUENCE_BYTES: ReadonlySet<number> = new Set([0x90, 0x98, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f]);
const SURROGATES = 0xdc00;

/** A run of complete non-ASCII characters, with one code unit per byte, or one byte that belongs to no character. */
const CHARACTERS =
  /(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+|[\x80-\xff]/g;
/** With the `u` flag, a surrogate that is part of a pair does not match. */
const LONE_BYTE = /([\udc80-\udcff])/u;
const AT_ONCE_BYTES = 8192;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** `bytes` must not end inside a character. */
export function rawText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (!text.includes(REPLACEMENT)) return text;
  return binaryOf(bytes).replace(CHARACTERS, (match) =>
    match.length > 1
      ? decoder.decode(Uint8Array.from(match, (unit) => unit.charCodeAt(0)))
      : strayByte(match.charCodeAt(0)),
  );
}

export function rawBytes(text: string): Uint8Array<ArrayBuffer> {
  if (!LONE_BYTE.test(text)) return encoder.encode(text) as Uint8Array<ArrayBuffer>;
  const pieces = text
    .split(LONE_BYTE)
    .map((piece) =>
      LONE_BYTE.test(piece) ? Uint8Array.of(piece.charCodeAt(0) - SURROGATES) : encoder.encode(piece),
    );
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function strayByte(byte: number): string {
  return SEQUENCE_BYTES.has(byte) ? REPLACEMENT : String.fromCharCode(SURROGATES + byte);
}

/** One code unit per byte. */
function binaryOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE_BYTES));
  return text;
}
