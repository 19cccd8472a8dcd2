/**
 * Copies everything a snapshot is written from. Writing a long history takes many times as long as copying it, and the
 * terminal must continue meanwhile, because its program may wait for a reply.
 */

import type {
  XtermAttributes,
  XtermBuffer,
  XtermLine,
  XtermLinkService,
  XtermState,
} from '../xterm/xterm.ts';
import { firstLine, type SnapshotExtent } from './ansi.ts';

/** Rows copied before the clock is read, about 50 µs. Their cells are allocated from the system, like slabs. */
const COPY_STEP_ROWS = 128;

type LinkData = ReturnType<XtermLinkService['getLinkData']>;

/** Copies the history within `extent`. Do not write to the terminal until the last step. */
export function* copyOf(core: XtermState, extent: SnapshotExtent): Generator<void, XtermState> {
  const { normal, alt, active } = core.buffers;
  const links = new Links(core);
  const normalCopy = yield* copyBuffer(normal, firstLine(extent, normal), links);
  const altCopy = yield* copyBuffer(alt, 0, links);
  const { coreService, coreMouseService, options, _charsetService: charset, _inputHandler: input } = core;
  return {
    cols: core.cols,
    rows: core.rows,
    buffers: { normal: normalCopy, alt: altCopy, active: active === alt ? altCopy : normalCopy },
    options: { convertEol: options.convertEol, cursorBlink: options.cursorBlink },
    coreService: {
      isCursorHidden: coreService.isCursorHidden,
      modes: { ...coreService.modes },
      decPrivateModes: { ...coreService.decPrivateModes },
    },
    coreMouseService: {
      activeProtocol: coreMouseService.activeProtocol,
      activeEncoding: coreMouseService.activeEncoding,
    },
    _charsetService: {
      charset: charset.charset,
      glevel: charset.glevel,
      _charsets: [...charset._charsets],
    },
    _oscLinkService: links,
    _inputHandler: {
      _parser: { precedingJoinState: input._parser.precedingJoinState },
      _curAttrData: copyAttributes(input._curAttrData),
      _windowTitle: input._windowTitle,
      _iconName: input._iconName,
    },
  };
}

function* copyBuffer(buffer: XtermBuffer, from: number, links: Links): Generator<void, XtermBuffer> {
  const rows: XtermLine[] = [];
  const { length, maxLength } = buffer.lines;
  for (let row = from; row < length; row += COPY_STEP_ROWS) {
    rows.push(...copyRows(buffer, row, Math.min(length, row + COPY_STEP_ROWS), links));
    yield;
  }
  const { ybase, x, y, scrollTop, scrollBottom, savedX, savedY, savedCharset } = buffer;
  return {
    lines: { length, maxLength, get: (row) => rows[row - from] },
    ...{ ybase, x, y, scrollTop, scrollBottom, savedX, savedY, savedCharset },
    tabs: { ...buffer.tabs },
    savedCurAttrData: copyAttributes(buffer.savedCurAttrData),
  };
}

/** Their cells share one array: thousands of small arrays would be slow to allocate and to collect. */
function copyRows({ lines }: XtermBuffer, from: number, to: number, links: Links): XtermLine[] {
  const rows: XtermLine[] = [];
  for (let row = from; row < to; row++) {
    const line = lines.get(row);
    if (line === undefined) throw new Error(`invariant: no row ${row} of ${lines.length}`);
    rows.push(line);
  }
  const cells = new Uint32Array(rows.reduce((sum, { _data }) => sum + _data.length, 0));
  let at = 0;
  return rows.map(({ _data, _combined, _extendedAttrs, length, isWrapped }) => {
    const copy = cells.subarray(at, at + _data.length);
    copy.set(_data);
    at += _data.length;
    links.add(_extendedAttrs);
    // xterm replaces extended attributes but never changes them, so they need no copies.
    return {
      _data: copy,
      _combined: { ..._combined },
      _extendedAttrs: { ..._extendedAttrs },
      length,
      isWrapped,
    };
  });
}

function copyAttributes({ fg, bg, extended }: XtermAttributes): XtermAttributes {
  return { fg, bg, extended };
}

/** The links that copied cells and the pen refer to; the terminal forgets those it no longer shows. */
class Links {
  readonly #links: XtermState['_oscLinkService'];
  readonly #kept = new Map<number, LinkData>();

  constructor({ _oscLinkService, _inputHandler }: XtermState) {
    this.#links = _oscLinkService;
    this.#keep(_inputHandler._curAttrData.extended.urlId);
  }

  add(extendedAttrs: XtermLine['_extendedAttrs']): void {
    for (const extended of Object.values(extendedAttrs))
      if (extended !== undefined) this.#keep(extended.urlId);
  }

  getLinkData(number: number): LinkData {
    return this.#kept.get(number);
  }

  #keep(number: number): void {
    if (!this.#kept.has(number)) this.#kept.set(number, this.#links.getLinkData(number));
  }
}
