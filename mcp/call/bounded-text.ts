/** Texts of answers within their bound. What programs have printed may hold anything, so invisible characters go. */
import { PATH_MAX_CHARS } from '../../protocol/limits.ts';
import { printable, printableLines } from '../../protocol/printable.ts';

/** In every runtime; this folder is compiled without the types of any. */
declare const TextDecoder: new () => {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
};

/** What is kept of a text, and how many of its bytes are left out. */
export interface BoundedText {
  readonly text: string;
  readonly omittedBytes: number;
}

/** How much of a text is looked at, of which most may be invisible: a hostile machine may send 32 MiB for a screen. */
const LOOKED_AT = 4;

/** Keeps the end of a long text, without looking at all of it: only its last bytes are decoded. */
export function endOfPieces(pieces: readonly Uint8Array[], maxBytes: number): BoundedText {
  const all = pieces.reduce((sum, { length }) => sum + length, 0);
  const skipped = Math.max(0, all - LOOKED_AT * maxBytes);
  const decoder = new TextDecoder();
  let text = '';
  let at = 0;
  for (const piece of pieces) {
    const from = Math.min(piece.length, Math.max(0, skipped - at));
    text += decoder.decode(piece.subarray(from), { stream: true });
    at += piece.length;
  }
  const end = endOf(text + decoder.decode(), maxBytes);
  return { ...end, omittedBytes: skipped + end.omittedBytes };
}

/**
 * Keeps the end of a text that is too long, from the beginning of a line on if possible. What is not looked at counts
 * one byte for each character.
 */
export function endOf(text: string, maxBytes: number): BoundedText {
  const skipped = Math.max(0, text.length - LOOKED_AT * maxBytes);
  const end = endOfClean(printableLines(text.slice(skipped)), maxBytes);
  return { ...end, omittedBytes: skipped + end.omittedBytes };
}

function endOfClean(clean: string, maxBytes: number): BoundedText {
  let bytes = 0;
  let at = clean.length;
  while (at > 0) {
    const from = isLowSurrogate(clean.charCodeAt(at - 1)) && at > 1 ? at - 2 : at - 1;
    const size = utf8Bytes(clean.codePointAt(from) ?? 0);
    if (bytes + size > maxBytes) break;
    bytes += size;
    at = from;
  }
  if (at === 0) return { text: clean, omittedBytes: 0 };
  const line = clean.indexOf('\n', at) + 1;
  const from = line > 0 && line < clean.length ? line : at;
  return { text: clean.slice(from), omittedBytes: byteLength(clean.slice(0, from)) };
}

/** A directory. Whoever unpacks an archive or clones a repository lets others choose its name. */
export function shownPath(path: string | null): string | null {
  return path === null ? null : printable(path, PATH_MAX_CHARS);
}

export function byteLength(text: string): number {
  let bytes = 0;
  for (const char of text) bytes += utf8Bytes(char.codePointAt(0) ?? 0);
  return bytes;
}

function utf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
