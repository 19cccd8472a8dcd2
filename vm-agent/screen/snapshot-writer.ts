/** Writes the text of a terminal as a snapshot, in slices, with as much history as fits into its limits. */
import { SNAPSHOT_INFLATED_MAX_BYTES, SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import { PiecewiseDeflate } from './deflate.ts';
import { SLEEPING_MAX_BYTES } from './limits.ts';
import type { Links, Scope, SnapshotExtent } from './serializer/ansi.ts';
import type { Format, TerminalText } from './serializer/terminal-text.ts';
import type { Deflated } from './thread-messages.ts';

const NOTHING = new Uint8Array(0);

/** Size limits of a snapshot, inflated and deflated, and of the state of a sleeping screen. */
export interface SnapshotLimits {
  readonly bytes: number;
  readonly deflatedBytes: number;
  readonly sleepingBytes: number;
}

export const SNAPSHOT_LIMITS: SnapshotLimits = {
  bytes: SNAPSHOT_INFLATED_MAX_BYTES,
  deflatedBytes: SNAPSHOT_MAX_BYTES,
  sleepingBytes: SLEEPING_MAX_BYTES,
};

/** How a terminal is written. */
interface Kind {
  readonly format: Format;
  readonly links: Links;
}

const WHOLE: Kind = { format: 'ansi', links: 'with links' };

/**
 * Includes as much history as fits. If not even the screen fits, links are left out; null if it still does not fit.
 */
export function* writeFitting(
  text: TerminalText,
  format: Format,
  scope: Scope,
  limits: SnapshotLimits,
): Generator<void, Deflated | null> {
  const written = yield* writeCut(text, scope, { format, links: 'with links' }, limits);
  if (written !== null || format !== 'ansi') return written;
  return yield* writeCut(text, scope, { format, links: 'without links' }, limits);
}

/** The state of a sleeping screen; null if it is too long to store. */
export function* writeWhole(
  text: TerminalText,
  scope: Scope,
  { sleepingBytes }: SnapshotLimits,
): Generator<void, Deflated | null> {
  const written = yield* writeText(text, scope, WHOLE, sleepingBytes);
  return typeof written === 'number' ? null : written;
}

/** Null if not even the screen fits. */
function* writeCut(
  text: TerminalText,
  scope: Scope,
  kind: Kind,
  limits: SnapshotLimits,
): Generator<void, Deflated | null> {
  let most = 0.9;
  for (let extent: SnapshotExtent = scope; ; ) {
    const written: Deflated | number = yield* writeText(text, extent, kind, limits.bytes);
    if (typeof written !== 'number' && written.deflated.length <= limits.deflatedBytes) return written;
    const { history, rows } = text.linesIn(extent);
    if (history === 0) return null;
    // Estimated from the rows that fitted, minus a margin because rows differ.
    const fitting = typeof written === 'number' ? written * 0.95 : rows / 2;
    extent = Math.max(0, Math.min(Math.floor(fitting - (rows - history)), Math.floor(history * most)));
    // After a bad guess the next one cuts more, so a history whose largest rows come last is dropped in a few attempts.
    most *= most;
  }
}

/** Returns the number of rows that fit if the text is longer than `maxBytes`. */
function* writeText(
  text: TerminalText,
  extent: SnapshotExtent,
  { format, links }: Kind,
  maxBytes: number,
): Generator<void, Deflated | number> {
  const deflate = new PiecewiseDeflate();
  let rows = 0;
  for (const piece of text.pieces(format, extent, links)) {
    deflate.add(piece);
    if (deflate.bytes > maxBytes) return rows;
    rows++;
    yield;
  }
  const whole = deflate.finish(format === 'ansi' ? text.pendingBytes : NOTHING);
  if (whole.bytes > maxBytes) return rows;
  return { ...whole, linesAbove: text.linesAbove(extent) };
}
