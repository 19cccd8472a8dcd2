/** Writes a terminal as HTML: one `pre` of rows and spans, colours as inline style, every character escaped. */

import { type ImageState, imageTexts } from '../images/written-images.ts';
import {
  BG,
  bgOf,
  COLOR,
  charsOf,
  extendedOf,
  FG,
  fgOf,
  hasContent,
  shownUnderline,
  widthOf,
} from '../xterm/cells.ts';
import type { Palette } from '../xterm/palette.ts';
import type { XtermLine, XtermState } from '../xterm/xterm.ts';
import { firstLine, type SnapshotExtent } from './ansi.ts';

const FOREGROUND = 256;
const BACKGROUND = 257;
const UNDERLINES = [
  '',
  'underline',
  'underline double',
  'underline wavy',
  'underline dotted',
  'underline dashed',
];

interface HtmlOptions {
  readonly palette: Palette;
  readonly images: ImageState;
}

export function* htmlOf(core: XtermState, scope: SnapshotExtent, options: HtmlOptions): Generator<string> {
  const { palette } = options;
  const { active, alt } = core.buffers;
  const from = active === alt ? active.ybase : firstLine(scope, active);
  yield `<pre style="color:${palette.css(FOREGROUND)};background:${palette.css(BACKGROUND)}">`;
  for (let row = from; row < active.lines.length; row++) {
    const line = active.lines.get(row);
    if (line !== undefined) yield `${rowHtml(core, line, options)}\n`;
  }
  yield '</pre>';
}

function rowHtml(core: XtermState, line: XtermLine, { palette, images }: HtmlOptions): string {
  let html = '';
  let open = '';
  let text = '';
  const flush = () => {
    if (text !== '') html += open === '' ? text : `<span style="${open}">${text}</span>`;
    text = '';
  };
  const inPlace = imageTexts(images, line, core.cols);
  const end = Math.max(usedCols(line, core.cols), ...[...inPlace.keys()].map((col) => col + 1));
  for (let col = 0; col < end; col++) {
    if (widthOf(line, col) === 0 && !hasContent(line, col)) continue;
    const style = styleOf(line, col, palette);
    if (style !== open) flush();
    open = style;
    const image = inPlace.get(col);
    if (image !== undefined) {
      text += image.text.padEnd(Math.min(image.to, end) - col);
      col = image.to - 1;
    } else text += escapeHtml(hasContent(line, col) ? charsOf(line, col) : ' ');
  }
  flush();
  return html;
}

/** Skips cells at the end that show neither a character nor a colour. */
function usedCols(line: XtermLine, cols: number): number {
  let end = cols;
  while (end > 0 && !hasContent(line, end - 1) && (bgOf(line, end - 1) & COLOR.mode) === 0) {
    if ((fgOf(line, end - 1) & FG.inverse) !== 0) break;
    end--;
  }
  return end;
}

function styleOf(line: XtermLine, col: number, palette: Palette): string {
  const fg = fgOf(line, col);
  const bg = bgOf(line, col);
  if (fg === 0 && bg === 0) return '';
  const inverse = (fg & FG.inverse) !== 0;
  const front = colorOf(fg, palette) ?? (inverse ? palette.css(FOREGROUND) : undefined);
  const back = colorOf(bg, palette) ?? (inverse ? palette.css(BACKGROUND) : undefined);
  const [color, background] = inverse ? [back, front] : [front, back];
  return [
    color === undefined ? '' : `color:${color};`,
    background === undefined ? '' : `background:${background};`,
    (fg & FG.bold) === 0 ? '' : 'font-weight:bold;',
    (bg & BG.italic) === 0 ? '' : 'font-style:italic;',
    (bg & BG.dim) === 0 ? '' : 'opacity:.5;',
    (fg & FG.invisible) === 0 ? '' : 'visibility:hidden;',
    decorations(line, col, palette),
  ].join('');
}

function decorations(line: XtermLine, col: number, palette: Palette): string {
  const extended = extendedOf(line, col)?._ext ?? 0;
  const underline = shownUnderline(fgOf(line, col), bgOf(line, col), extended);
  const lines = [
    underline === 0 ? '' : UNDERLINES[underline],
    underline !== 0 ? colorOf(extended, palette) : '',
    (fgOf(line, col) & FG.strikethrough) === 0 ? '' : 'line-through',
    (bgOf(line, col) & BG.overline) === 0 ? '' : 'overline',
  ].filter((word) => word !== undefined && word !== '');
  return lines.length === 0 ? '' : `text-decoration:${lines.join(' ')};`;
}

function colorOf(word: number, palette: Palette): string | undefined {
  switch (word & COLOR.mode) {
    case COLOR.ansi:
    case COLOR.palette:
      return palette.css(word & 0xff);
    case COLOR.rgb:
      return `#${(word & 0xffffff).toString(16).padStart(6, '0')}`;
    default:
      return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
}
