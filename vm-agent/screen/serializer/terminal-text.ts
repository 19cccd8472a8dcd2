/**
 * A terminal's state as text, in one of three formats. A live terminal must not be written to meanwhile; a copy may be
 * read at any time.
 */

import { imageCharsOf, newestImages } from '../images/written-images.ts';
import type { Palette } from '../xterm/palette.ts';
import type { XtermState } from '../xterm/xterm.ts';
import { ansiOf, firstLine, type Links, type OwnState, type SnapshotExtent } from './ansi.ts';
import { htmlOf } from './html.ts';
import { textOf } from './text.ts';

export type Format = 'ansi' | 'text' | 'html';

export interface CursorCell {
  readonly row: number;
  readonly col: number;
}

export class TerminalText {
  readonly #core: XtermState;
  readonly #palette: Palette;
  readonly #ownState: OwnState;
  /** What an ANSI snapshot ends with: the sequence that was cut. */
  readonly pendingBytes: Uint8Array;

  constructor(core: XtermState, palette: Palette, ownState: OwnState, pendingBytes: Uint8Array) {
    this.#core = core;
    this.#palette = palette;
    this.#ownState = ownState;
    this.pendingBytes = pendingBytes;
  }

  /** Characters of its images. */
  get imageChars(): number {
    return imageCharsOf(this.#ownState.images);
  }

  /** The same with the newest of its images only. */
  withImages(maxChars: number): TerminalText {
    const images = newestImages(this.#ownState.images, maxChars);
    return new TerminalText(this.#core, this.#palette, { ...this.#ownState, images }, this.pendingBytes);
  }

  /** The cell in which the cursor is, counted from 1. After the last column it is still in that one. */
  get cursor(): CursorCell {
    const { active } = this.#core.buffers;
    return { row: active.y + 1, col: Math.min(active.x, this.#core.cols - 1) + 1 };
  }

  *pieces(format: Format, extent: SnapshotExtent, links: Links = 'with links'): Generator<string> {
    const { images } = this.#ownState;
    if (format === 'text') yield* textOf(this.#core, extent, images);
    else if (format === 'html') yield* htmlOf(this.#core, extent, { palette: this.#palette, images });
    else yield* ansiOf(this.#core, extent, { colors: this.#palette.changes(), links, ...this.#ownState });
  }

  /** How many lines a snapshot of this extent leaves out. */
  linesAbove(extent: SnapshotExtent): number {
    return firstLine(extent, this.#core.buffers.normal);
  }

  /** How many lines of history it has, and how many rows including the screen. */
  linesIn(extent: SnapshotExtent): { readonly history: number; readonly rows: number } {
    const { normal } = this.#core.buffers;
    const history = normal.ybase - firstLine(extent, normal);
    return { history, rows: history + this.#core.rows };
  }
}
