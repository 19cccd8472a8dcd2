/**
 * Draws the output of one command, apart from the screen: the part of the ring that it printed, in a fresh terminal
 * that answers nobody. The terminal is one more screen of the pool, so it gets the same slices as those of sessions.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import {
  COMMAND_OUTPUT_DRAWN_WITHIN_MS,
  COMMAND_OUTPUT_MAX_BYTES,
  COMMAND_OUTPUT_MAX_CELLS,
  COMMAND_OUTPUT_MAX_LINES,
} from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SnapshotFormat } from '../../protocol/messages/message-parts.ts';
import { inflateState } from '../screen/deflate.ts';
import type { Snapshot } from '../screen/snapshot.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { interleave, type Piece } from './replay.ts';
import type { OpenScreen } from './session-output.ts';

interface DrawingOptions {
  readonly terminal: Pick<Terminal, 'ring' | 'sizes'>;
  readonly openScreen: OpenScreen;
  readonly widths: string;
  readonly clock: Clock;
}

/** What a command printed, as far as it is kept. */
interface Printed {
  /** Bytes at its beginning that are left out. */
  readonly lost: number;
  readonly to: number;
  readonly size: Size;
  /** How many lines are kept. */
  readonly maxLines: number;
  readonly pieces: readonly Piece[];
}

/** A command's output; 'too large' and undefined as for a screen. */
export interface DrawnOutput {
  readonly taken: Snapshot | 'too large' | undefined;
  /** Bytes at its beginning that are left out. */
  readonly lost: number;
}

/** Throws `output_gone` if nothing of it is kept. */
export async function drawOutput(
  command: SessionCommand,
  format: SnapshotFormat,
  { terminal, openScreen, widths, clock }: DrawingOptions,
): Promise<DrawnOutput> {
  const { lost, to, size, maxLines, pieces } = printedBy(command, terminal);
  const screen = openScreen(size, { scrollbackLines: maxLines, widths, events: UNHEARD });
  // A closed screen answers every request at once.
  let isLate = false;
  const cancel = clock.after(COMMAND_OUTPUT_DRAWN_WITHIN_MS, () => {
    isLate = true;
    screen.close();
  });
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind === 'resize') screen.resize(at, piece.size);
    else {
      screen.write(at, piece.bytes);
      at += piece.bytes.length;
    }
  }
  const taken = await screen.snapshot({ format, scope: 'all', atLeast: at });
  cancel();
  screen.close();
  if (isLate)
    throw new Refusal('bad_request', 'This output takes too long to draw. Read the screen instead.');
  // The terminal has counted from 0.
  return { lost, taken: taken === undefined || taken === 'too large' ? taken : { ...taken, offset: to } };
}

function printedBy(
  { outputFrom, outputTo }: SessionCommand,
  { ring, sizes }: Pick<Terminal, 'ring' | 'sizes'>,
): Printed {
  const to = outputTo ?? ring.end;
  if (outputFrom === null || (outputFrom < to && to <= ring.start))
    throw new Refusal('output_gone', 'The output of this command is no longer kept.');
  const held = Math.min(to, Math.max(outputFrom, ring.start, to - COMMAND_OUTPUT_MAX_BYTES));
  const bytes = ring.read(held).subarray(0, to - held);
  const changes = sizes.since(held).filter(({ offset }) => offset < to);
  const maxLines = linesOf(Math.max(sizes.at(held).cols, ...changes.map(({ size }) => size.cols)));
  const from = held + skipped(bytes, held > outputFrom, sizes.at(held), maxLines);
  const later = changes.filter(({ offset }) => offset > from);
  const pieces = interleave(from, bytes.subarray(from - held), later);
  return { lost: from - outputFrom, to, size: sizes.at(from), maxLines, pieces };
}

/** What a fresh terminal of this size shows after these bytes, with its history; null if it takes too long. */
export async function drawText(
  bytes: Uint8Array,
  size: Size,
  { openScreen, widths, clock }: Omit<DrawingOptions, 'terminal'>,
): Promise<string | null> {
  const screen = openScreen(size, { scrollbackLines: linesOf(size.cols), widths, events: UNHEARD });
  const cancel = clock.after(COMMAND_OUTPUT_DRAWN_WITHIN_MS, () => screen.close());
  screen.write(0, bytes);
  const taken = await screen.snapshot({ format: 'text', scope: 'all', atLeast: bytes.length });
  cancel();
  screen.close();
  return taken === undefined || taken === 'too large'
    ? null
    : Buffer.from(inflateState(taken.deflated)).toString();
}

/** How many lines are kept of a terminal that has, or had, this many columns. */
function linesOf(cols: number): number {
  return Math.min(COMMAND_OUTPUT_MAX_LINES, Math.floor(COMMAND_OUTPUT_MAX_CELLS / cols));
}

const LINE_FEED = 0x0a;

/**
 * How much of the beginning is left out, so that the terminal keeps all lines of the rest. `isCut`: the first line is
 * not whole, and perhaps begins inside a sequence.
 */
function skipped(bytes: Uint8Array, isCut: boolean, { cols }: Size, maxLines: number): number {
  let room = maxLines;
  let end = bytes.length;
  for (;;) {
    const start = end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    // A character has at least one byte for each column, so this is the most that a line can take.
    room -= Math.max(1, Math.ceil((end - start) / cols));
    if (room < 0) return Math.min(bytes.length, end + 1);
    if (start === 0) return isCut && end < bytes.length ? end + 1 : 0;
    end = start - 1;
  }
}

const UNHEARD = { answer() {}, title() {}, progress() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };
