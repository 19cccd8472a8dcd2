/** The beginning and the end of what a run printed, as plain text within a bound. Rule AS3. */
import { RUN_HEAD_MAX_BYTES, RUN_TAIL_MAX_BYTES } from '../../protocol/limits.ts';
import { printableLines } from '../../protocol/printable.ts';

/** What is needed of a session. */
export interface OutputSource {
  /** The offset of the oldest byte that is kept. */
  readonly start: number;
  readonly end: number;
  /** What was printed between these offsets, as far as it is kept. */
  read(from: number, to: number): Uint8Array;
  /** The text that a terminal of the session's size shows after these bytes, with its history. */
  draw(bytes: Uint8Array): Promise<string>;
}

/** Where the output is, and its first bytes, if they are known. */
export interface RunPart {
  readonly from: number;
  readonly to: number;
  readonly head: Uint8Array;
}

export interface RunText {
  readonly output: string;
  /** Bytes as printed that are left out, and bytes of the text that are cut because it is longer than that. */
  readonly omittedBytes: number;
}

export async function runText(part: RunPart, source: OutputSource): Promise<RunText> {
  const { from, head: kept } = part;
  const to = part.to - partialLineMarkBytes(part, source);
  const begun = beginning({ from, to, head: kept }, source);
  const headTo = from + begun.length;
  const tailFrom = Math.min(to, Math.max(headTo, to - RUN_TAIL_MAX_BYTES, source.start));
  const tail = source.read(tailFrom, to);
  if (tailFrom === headTo) {
    const text = tidy(await source.draw(Buffer.concat([begun, tail])));
    const all = cutEnd(text, RUN_HEAD_MAX_BYTES + RUN_TAIL_MAX_BYTES);
    return joined(all, byteLength(text) - byteLength(all), '');
  }
  const skipped = partialBytes(tail);
  const [first, last] = [tidy(await source.draw(begun)), tidy(await source.draw(tail.subarray(skipped)))];
  const [head, end] = [cutEnd(first, RUN_HEAD_MAX_BYTES), cutStart(last, RUN_TAIL_MAX_BYTES)];
  const cut = byteLength(first) - byteLength(head) + byteLength(last) - byteLength(end);
  return joined(head, tailFrom + skipped - headTo + cut, end);
}

/** The first bytes: those that are still in the history, else those that were kept. */
function beginning({ from, to, head }: RunPart, source: OutputSource): Uint8Array {
  const length = Math.min(RUN_HEAD_MAX_BYTES, to - from);
  return source.start <= from ? source.read(from, from + length) : head.subarray(0, length);
}

function joined(head: string, omittedBytes: number, end: string): RunText {
  const gap = omittedBytes > 0 ? `[${omittedBytes} bytes omitted]` : '';
  return { output: [head, gap, end].filter((part) => part !== '').join('\n'), omittedBytes };
}

const LINE_FEED = 0x0a;

/**
 * How much of a tail to leave out, because it belongs to something that began before it: a line, which perhaps begins
 * inside a sequence. If the lines are very long, only a character.
 */
function partialBytes(tail: Uint8Array): number {
  const lineEnd = tail.indexOf(LINE_FEED);
  if (lineEnd !== -1 && lineEnd < tail.length / 2) return lineEnd + 1;
  const first = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, first);
}

/** What zsh prints before its prompt if the last line has no end: a mark, as many spaces as a line has, and a return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with an escape character
const PARTIAL_LINE_MARK = /(?:\x1b\[[\d;]*m)*[%#](?:\x1b\[[\d;]*m)+ {8,}\r \r$/;
const PARTIAL_LINE_MARK_MAX_BYTES = 1024;

function partialLineMarkBytes({ from, to }: RunPart, source: OutputSource): number {
  const end = source.read(Math.max(from, to - PARTIAL_LINE_MARK_MAX_BYTES), to);
  const found = PARTIAL_LINE_MARK.exec(Buffer.from(end).toString('latin1'));
  return found === null ? 0 : end.length - found.index;
}

/** A few bytes can move the cursor far or repeat a character often, so a text may be longer than what was printed. */
function cutEnd(text: string, maxBytes: number): string {
  return byteLength(text) <= maxBytes ? text : whole(Buffer.from(text).subarray(0, maxBytes));
}

function cutStart(text: string, maxBytes: number): string {
  return byteLength(text) <= maxBytes ? text : whole(Buffer.from(text).subarray(-maxBytes));
}

/** Without the parts of characters at both ends. */
function whole(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}

const byteLength = (text: string) => Buffer.byteLength(text);

function tidy(text: string): string {
  return printableLines(text)
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
}
