/**
 * Writes a terminal as output that makes a fresh terminal of the same size equal to it. In order:
 *
 *   inactive alternate buffer's saved cursor and keyboard flags
 *   normal buffer: keyboard flags, rows, tab stops, scroll region, saved cursor
 *   alternate buffer, when active: the row the normal buffer's cursor was left in, then the same
 *   title, colours, modes, charsets
 *   cursor, pen, the last character again, and the sequence that was cut
 *
 * The last character is printed again for three reasons: a combining mark that follows joins it, `CSI b` repeats it,
 * and only printing in the last column makes a cursor pending after it.
 */

import { writtenTiles } from '../../../protocol/terminal/images/snapshot-images.ts';
import { runAt } from '../../../protocol/terminal/images/tile.ts';
import {
  type FlagStack,
  type KeyState,
  writtenFlags,
  writtenOtherKeys,
} from '../../../protocol/terminal/keyboard/key-modes.ts';
import type { MarkState } from '../../../protocol/terminal/marks/command-rows.ts';
import { type WrittenMarks, writtenMarks } from '../../../protocol/terminal/marks/write-marks.ts';
import { OLD_WIDTHS } from '../../../protocol/terminal/width/old-widths.ts';
import { CLUSTER_MODE } from '../../../protocol/terminal/width/width-mode.ts';
import { CLUSTERS, CODE_POINTS, type WidthModel } from '../../../protocol/terminal/width/width-model.ts';
import { type ImageState, WrittenImages } from '../images/written-images.ts';
import { BG, bgOf, charsOf, FG, hasContent, isErased, underlineStyle, widthOf } from '../xterm/cells.ts';
import { charsetFlag } from '../xterm/charsets.ts';
import type { XtermBuffer, XtermLine, XtermState } from '../xterm/xterm.ts';
import { Pen, paintRows } from './ansi-rows.ts';
import {
  charsets,
  isSavedInitial,
  moveTo,
  quietModes,
  savedCursor,
  saveInRow,
  scrollRegion,
  tabStops,
  titles,
  usesOtherCharset,
} from './ansi-state.ts';
import { BREAK, CellWriter, modelOf } from './cell-writer.ts';
import { sgrBeside, sgrOf } from './sgr.ts';

/** The screen alone, with the last few lines above it, or with all of them. */
export type Scope = 'screen' | 'recent' | 'all';

/** A scope, or a number of lines above the screen. */
export type SnapshotExtent = Scope | number;

/** How far a person may scroll back before the full history arrives; costs about as much as the screen itself. */
const RECENT_LINES = 200;

/** The first line of a buffer that belongs to a scope. */
export function firstLine(scope: SnapshotExtent, { ybase }: XtermBuffer): number {
  if (scope === 'all') return 0;
  if (typeof scope === 'number') return Math.max(0, ybase - scope);
  return scope === 'screen' ? ybase : Math.max(0, ybase - RECENT_LINES);
}

/**
 * Whether links (OSC 8) are written. Each change of link repeats its whole target, up to 2083 characters for one cell;
 * there is no shorter way to return to an earlier link.
 */
export type Links = 'with links' | 'without links';

/** The models that measure the terminal's text: the one it began with, and the one in use. */
interface Widths {
  readonly initial: string;
  readonly active: string;
}

/** What a snapshot writes that is not in xterm. */
export interface OwnState {
  readonly widths: Widths;
  /** The sequences that set the modes that xterm does not have. */
  readonly modes: string;
  readonly keys: KeyState;
  /** The marks of its shell, with the nonce of those that are verified. */
  readonly marks: MarkState & { readonly nonce: string | null };
  readonly images: ImageState;
}

interface AnsiOptions extends OwnState {
  /** The sequences that set the colours that differ from the defaults. */
  readonly colors: string;
  readonly links: Links;
}

/** Cells are painted by clusters, whichever model the terminal has in use. */
const CLUSTERED = `\x1b[?${CLUSTER_MODE}h`;
const UNCLUSTERED = `\x1b[?${CLUSTER_MODE}l`;

/** Pieces of text to concatenate. The caller may pause between them if the terminal is not written to or is a copy. */
export function* ansiOf(
  core: XtermState,
  scope: SnapshotExtent,
  { colors, links, widths, modes, keys, marks, images }: AnsiOptions,
): Generator<string> {
  const { normal, alt, active } = core.buffers;
  const pen = new Pen(links === 'with links' ? core._oscLinkService : null);
  yield widths.initial === CODE_POINTS.version ? CLUSTERED : '';
  const cells = new CellWriter(widths.initial === OLD_WIDTHS ? undefined : CLUSTERS);
  const tools = { pen, cells, images: new WrittenImages(images) };
  const from = firstLine(scope, normal);
  const written = writtenMarks(marks, marks.nonce, from);
  if (active !== alt) yield inactive(core, alt, keys.alternate);
  yield writtenFlags(keys.normal) + written.before;
  yield* bufferOf(core, normal, from, { ...tools, marks: written.rows });
  if (active === alt) {
    // A resize drops rows of the normal buffer below its cursor, even while that buffer is hidden.
    yield `${written.after}${moveTo(0, normal.y)}\x1b[?47h\x1b[H${writtenFlags(keys.alternate)}`;
    yield* bufferOf(core, alt, 0, tools);
  }
  const widthMode = widths.active === CODE_POINTS.version ? UNCLUSTERED : '';
  const after = active === alt ? '' : written.after;
  yield after +
    titles(core) +
    colors +
    quietModes(core) +
    modes +
    writtenOtherKeys(keys.otherKeys) +
    widthMode;
  yield ending(core, pen, modelOf(widths.active));
}

interface Tools {
  readonly pen: Pen;
  readonly cells: CellWriter;
  readonly images: WrittenImages;
  readonly marks?: WrittenMarks['rows'];
}

function* bufferOf(core: XtermState, buffer: XtermBuffer, from: number, tools: Tools): Generator<string> {
  const note = savedWhilePainting(core, buffer, from);
  yield* paintRows({ core, buffer, from, to: buffer.lines.length, ...tools, note });
  yield tabStops(core, buffer) + scrollRegion(core, buffer) + (note.row < 0 ? savedCursor(core, buffer) : '');
}

/**
 * Two kinds of saved cursor can only be recreated while their row is painted: one in a row that has since scrolled
 * away, and one pending after the last column, which needs a character there. Row -1: neither.
 */
function savedWhilePainting(
  core: XtermState,
  buffer: XtermBuffer,
  from: number,
): { row: number; text: string } {
  const { savedX, savedY, ybase } = buffer;
  const isAway = savedY >= from && savedY < ybase && !isSavedInitial(buffer);
  const row = savedX < core.cols ? savedY : Math.min(Math.max(savedY, from), ybase + core.rows - 1);
  return isAway || savedX >= core.cols ? { row, text: saveInRow(core, buffer) } : { row: -1, text: '' };
}

/** The alternate buffer is cleared when it is left, except for its saved cursor and the flags of the keyboard. */
function inactive(core: XtermState, alt: XtermBuffer, flags: FlagStack): string {
  const kept = savedCursor(core, alt) + writtenFlags(flags);
  return kept === '' ? '' : `\x1b[?47h${kept}\x1b[?47l\x1b[H`;
}

function ending(core: XtermState, pen: Pen, model: WidthModel | undefined): string {
  const { insertMode } = core.coreService.modes;
  const { origin, wraparound } = core.coreService.decPrivateModes;
  const last = lastCell(core);
  const viaSaved = isAsRestored(core);
  const joins = core._inputHandler._parser.precedingJoinState !== 0;
  // Designating a charset makes xterm forget that it has just printed, and printing goes through the charset.
  const charsetFirst = viaSaved || joins;
  return [
    origin ? '\x1b[?6h' : '',
    wraparound ? '' : '\x1b[?7l',
    insertMode ? '\x1b[4h' : '',
    charsetFirst ? charsets(core) : '',
    viaSaved ? penAsRestored(core, pen) : '',
    last === undefined
      ? cursor(core, pen)
      : reprint(core, last, viaSaved ? undefined : pen, new CellWriter(model)),
    viaSaved ? '' : penOf(core, pen),
    charsetFirst ? '' : charsets(core),
    joins ? '' : BREAK,
  ].join('');
}

function cursor(core: XtermState, pen: Pen): string {
  const { x, y, ybase, lines, scrollTop } = core.buffers.active;
  const top = core.coreService.decPrivateModes.origin ? scrollTop : 0;
  const line = lines.get(ybase + y);
  const at = moveTo(Math.min(x, core.cols - 1), y - top);
  if (x < core.cols || line === undefined) return at;
  const tile = runAt(line, core.cols - 1, core.cols);
  // The cursor is pending after a tile that has scrolled into its row: print there, then restore the tile.
  if (tile !== undefined) return `${at}${pen.plain()} ${writtenTiles(tile, core.cols - 1)}`;
  if (!isErasedThroughout(line, core.cols)) return at;
  // The cursor is pending after the last column of a row that was erased since: print there, then erase it again.
  return `${at}${pen.plain()} ${pen.like(line, 0)}\x1b[1K`;
}

function isErasedThroughout(line: XtermLine, cols: number): boolean {
  for (let col = 0; col < cols; col++) {
    if (!isErased(line, col) || bgOf(line, col) !== bgOf(line, 0)) return false;
  }
  return true;
}

/** The column of the cell to print again, if there is one and printing it does no harm. */
function lastCell(core: XtermState): number | undefined {
  const { x, y, ybase, lines } = core.buffers.active;
  const line = lines.get(ybase + y);
  const isWaiting = x >= core.cols;
  if (line === undefined || x === 0) return undefined;
  if (!isWaiting && core._inputHandler._parser.precedingJoinState === 0) return undefined;
  const col = widthOf(line, x - 1) === 0 && !hasContent(line, x - 1) ? x - 2 : x - 1;
  if (col < 0 || !hasContent(line, col) || col + Math.max(1, widthOf(line, col)) !== x) return undefined;
  return isWaiting || Pen.matches(line, col, core._inputHandler._curAttrData) ? col : undefined;
}

/** Without `pen` it prints with the current attributes. */
function reprint(core: XtermState, col: number, pen: Pen | undefined, cells: CellWriter): string {
  const { y, ybase, lines, scrollTop } = core.buffers.active;
  const line = lines.get(ybase + y);
  if (line === undefined) throw new Error('invariant: the cursor is in a row');
  const top = core.coreService.decPrivateModes.origin ? scrollTop : 0;
  const makeRoom = core.coreService.modes.insertMode ? `\x1b[${widthOf(line, col)}P` : '';
  // Use the pen's own attributes if they print the same cell: then nothing that resets the join state need follow.
  const isSame = Pen.matches(line, col, core._inputHandler._curAttrData);
  const dip = pen === undefined ? '' : isSame ? penOf(core, pen) : pen.like(line, col);
  const { precedingJoinState } = core._inputHandler._parser;
  const text = cells.lastCell(charsOf(line, col), widthOf(line, col), precedingJoinState);
  return moveTo(col, y - top) + dip + makeRoom + text;
}

/** Unlike a cell's, the pen's underline colour matters even while nothing is underlined. */
function penOf(core: XtermState, pen: Pen): string {
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  return pen.set(sgrOf(fg, bg, extended._ext), extended.urlId);
}

/**
 * `ESC 8` leaves combinations that nothing else does: a charset in use that is none of G0 to G3, or a link or an
 * underline style that is set but not shown. They are recreated with `ESC 8`, if it would restore exactly them.
 */
function isAsRestored(core: XtermState): boolean {
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  const { savedCurAttrData: saved, savedCharset } = core.buffers.active;
  const style = underlineStyle(extended._ext);
  const isExtended = extended.urlId !== 0 || style !== 0;
  const isDormant = style !== 0 && (fg & FG.underline) === 0;
  if (!isDormant && !usesOtherCharset(core) && isExtended === ((bg & BG.extended) !== 0)) return false;
  const sameUnderline = ((saved.fg ^ fg) & FG.underline) === 0;
  const canExtend =
    (saved.bg & BG.extended) === 0 ? isExtended || (bg & BG.extended) === 0 : (bg & BG.extended) !== 0;
  return (
    sameUnderline && canExtend && charsetFlag(savedCharset) === charsetFlag(core._charsetService.charset)
  );
}

function penAsRestored(core: XtermState, pen: Pen): string {
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  const style = underlineStyle(extended._ext);
  const mustExtend = (bg & ~core.buffers.active.savedCurAttrData.bg & BG.extended) !== 0;
  return [
    penOf(core, pen),
    style === 0 ? '' : `\x1b[4:${style}m`,
    '\x1b8',
    // Opening or closing a link makes xterm check again whether there are extended attributes.
    mustExtend ? pen.openLink(extended.urlId) : '',
    sgrBeside(fg, bg),
    `\x1b[${(bg & BG.protected) === 0 ? 0 : 1}"q`,
  ].join('');
}
