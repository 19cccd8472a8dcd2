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
  /** The text that a terminal of the session's size shows after these bytes; null if that takes too long. */
  draw(bytes: Uint8Array): Promise<string | null>;
}

/** Where the output is, and its first bytes, if they are known. */
export interface RunPart {
  readonly from: number;
  readonly to: number;
  readonly head: Uint8Array;
}

export interface RunText {
  readonly output: string;
  /** Bytes as printed that are left out; where a text is longer than what was printed, bytes of that text. */
  readonly omittedBytes: number;
}

export async function runText(part: RunPart, source: OutputSource): Promise<RunText> {
  const { from } = part;
  const to = part.to - partialLineMarkBytes(part, source);
  const begun = beginning({ ...part, to }, source);
  const headTo = from + begun.length;
  const tailFrom = Math.min(to, Math.max(headTo, to - RUN_TAIL_MAX_BYTES, source.start));
  const tail = source.read(tailFrom, to);
  if (tailFrom === headTo) {
    const all = await drawn(
      Buffer.concat([begun, tail]),
      source,
      RUN_HEAD_MAX_BYTES + RUN_TAIL_MAX_BYTES,
      'start',
    );
    return joined(all.text, all.omitted, '');
  }
  const skipped = partialBytes(tail);
  const head = await drawn(begun, source, RUN_HEAD_MAX_BYTES, 'start');
  const end = await drawn(tail.subarray(skipped), source, RUN_TAIL_MAX_BYTES, 'end');
  return joined(head.text, head.omitted + tailFrom + skipped - headTo + end.omitted, end.text);
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
  return Math.max(
    0,
    tail.findIndex((byte) => !isContinuation(byte)),
  );
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

/**
 * The text that these bytes draw, and how much of it is left out: a few bytes can move the cursor far or repeat a
 * character often, so a text may be longer than what was printed. If it takes too long to draw, it is what was printed
 * without its sequences.
 */
async function drawn(
  bytes: Uint8Array,
  source: OutputSource,
  maxBytes: number,
  side: 'start' | 'end',
): Promise<{ readonly text: string; readonly omitted: number }> {
  const text = bytes.length === 0 ? '' : ((await source.draw(bytes)) ?? withoutSequences(bytes));
  // Cut generously first, so that the work is bounded by what is shown: a terminal can draw megabytes of spaces.
  const maxChars = 2 * maxBytes;
  const part = side === 'start' ? text.slice(0, maxChars) : text.slice(-maxChars);
  const all = Buffer.from(tidy(part));
  const kept = whole(side === 'start' ? all.subarray(0, maxBytes) : all.subarray(-maxBytes));
  return { text: kept, omitted: text.length - part.length + all.length - Buffer.byteLength(kept) };
}

/** CSI, OSC and other strings, and short sequences. Each of them ends at the next ESC, so no text is read twice. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with an escape character
  /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;

function withoutSequences(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(SEQUENCE, '').replace(/\r+\n/g, '\n').replaceAll('\r', '\n');
}

/** Without the parts of characters at both ends. */
function whole(bytes: Buffer): string {
  const start = bytes.findIndex((byte) => !isContinuation(byte));
  let end = bytes.length;
  // A character has at most four bytes, and the last one that begins here may not be whole.
  for (let i = 1; i <= 4 && i <= bytes.length; i++) {
    const byte = bytes[bytes.length - i] as number;
    if (isContinuation(byte)) continue;
    if (lengthOf(byte) > i) end = bytes.length - i;
    break;
  }
  return bytes.toString('utf8', Math.max(0, start), end);
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;
const lengthOf = (byte: number) => (byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);

/** Lines without spaces at their ends, and without empty lines around them. Each step takes time in proportion. */
function tidy(text: string): string {
  const lines = printableLines(text)
    .split('\n')
    .map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1 ? '' : lines.slice(first, last + 1).join('\n');
}
