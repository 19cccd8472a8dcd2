/** Finds marks in a whole stream, one byte after the other: slow, and written apart from the scanner it checks. */
import { MARK_MAX_BYTES } from '../../../protocol/limits.ts';
import { parseMark } from '../../../protocol/terminal/marks/mark.ts';
import { type FoundMark, MarkScanner } from '../../../vm-agent/commands/mark-scanner.ts';

const CODES = ['133', '633'] as const;

/** The text has one character for each byte. A mark that has not ended yet is not found. */
export function referenceMarks(text: string): FoundMark[] {
  const found: FoundMark[] = [];
  for (let from = 0; from < text.length; from++) {
    const code = CODES.find((one) => text.startsWith(`\x1b]${one};`, from));
    const ending = code === undefined ? null : endOf(text, from + 6);
    if (ending === null) continue;
    const bytes = [...text.slice(from + 6, ending.dataEnd)].filter((byte) => byte >= ' ').join('');
    if (bytes.length > MARK_MAX_BYTES) continue;
    const mark = parseMark(code === '633' ? 633 : 133, Buffer.from(bytes, 'latin1').toString());
    if (mark !== null) found.push({ mark, from, to: ending.to });
  }
  return found;
}

/** Null if the mark is aborted, or if its end is not known yet. */
function endOf(text: string, from: number): { readonly dataEnd: number; readonly to: number } | null {
  for (let at = from; at < text.length; at++) {
    const rest = text.slice(at, at + 2);
    if (rest[0] === '\x07') return { dataEnd: at, to: at + 1 };
    if (rest === '\x1b\\' || rest === '\xc2\x9c') return { dataEnd: at, to: at + 2 };
    if (rest[0] === '\x1b') return rest.length === 2 ? { dataEnd: at, to: at } : null;
    if (rest[0] === '\x18' || rest[0] === '\x1a') return null;
    if (rest[0] === '\xc2' && rest >= '\xc2\x80' && rest <= '\xc2\x9f') return null;
  }
  return null;
}

/** What the scanner finds if the stream comes in pieces that end at these places. */
export function scannedMarks(text: string, cuts: readonly number[]): FoundMark[] {
  const found: FoundMark[] = [];
  const scanner = new MarkScanner((mark) => found.push(mark));
  const bytes = Buffer.from(text, 'latin1');
  const places = [...new Set([0, ...cuts, bytes.length])].filter((at) => at <= bytes.length);
  places.sort((a, b) => a - b);
  for (const [i, start] of places.entries()) {
    // A copy that is spoilt afterwards: pieces are valid during the call only.
    const piece = Uint8Array.from(bytes.subarray(start, places[i + 1]));
    scanner.scan(start, piece);
    piece.fill(0x1b);
  }
  return found;
}
