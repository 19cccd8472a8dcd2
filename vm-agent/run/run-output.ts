/** The beginning and the end of what a run printed, as plain text within a bound. Rule AS3. */
import type { Size } from '../../protocol/frame.ts';
import { RUN_HEAD_MAX_BYTES, RUN_TAIL_MAX_BYTES } from '../../protocol/limits.ts';
import { printableLines } from '../../protocol/printable.ts';

/** What is needed of a session. */
export interface OutputSource {
  /** The offset of the oldest byte that is kept. */
  readonly start: number;
  readonly end: number;
  read(from: number, to: number): Uint8Array;
  /** The text that a terminal of the session's size shows after these bytes, with its history. */
  draw(bytes: Uint8Array): Promise<string>;
  readonly size: Size;
}

/** Where the output is, and its first bytes. */
export interface RunPart {
  readonly from: number;
  readonly to: number;
  readonly head: Uint8Array;
}

export interface RunText {
  readonly output: string;
  readonly omittedBytes: number;
}

const LINE_FEED = 0x0a;

export async function runText({ from, to, head }: RunPart, source: OutputSource): Promise<RunText> {
  const begun = head.subarray(0, Math.min(head.length, to - from));
  const headTo = from + begun.length;
  const tailFrom = Math.max(headTo, to - RUN_TAIL_MAX_BYTES, source.start);
  const tail = source.read(Math.min(tailFrom, to), to);
  if (tailFrom <= headTo) {
    const all = cutEnd(await source.draw(Buffer.concat([begun, tail])), TEXT_MAX_BYTES);
    return { output: all, omittedBytes: 0 };
  }
  // The first line is not whole, and perhaps begins inside a sequence.
  const skipped = tail.indexOf(LINE_FEED) + 1;
  const first = cutEnd(await source.draw(begun), RUN_HEAD_MAX_BYTES);
  const last = cutStart(await source.draw(tail.subarray(skipped)), RUN_TAIL_MAX_BYTES);
  const omittedBytes = tailFrom + skipped - headTo;
  const gap = `[${omittedBytes} bytes omitted]`;
  return { output: [first, gap, last].filter((part) => part !== '').join('\n'), omittedBytes };
}

const TEXT_MAX_BYTES = RUN_HEAD_MAX_BYTES + RUN_TAIL_MAX_BYTES;

/** A few bytes can move the cursor far or repeat a character often, so a text may be longer than what was printed. */
function cutEnd(text: string, maxBytes: number): string {
  const clean = tidy(text);
  return Buffer.byteLength(clean) <= maxBytes ? clean : whole(Buffer.from(clean).subarray(0, maxBytes));
}

function cutStart(text: string, maxBytes: number): string {
  const clean = tidy(text);
  return Buffer.byteLength(clean) <= maxBytes ? clean : whole(Buffer.from(clean).subarray(-maxBytes));
}

/** Without the parts of characters at both ends. */
function whole(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}

function tidy(text: string): string {
  return printableLines(text)
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
}
