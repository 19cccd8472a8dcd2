/**
 * Answers what programs ask before they print an image. The cell is the one that images are laid out with, on every
 * device; the page scales what it draws.
 */
import type { IParser } from '@xterm/headless';
import type { Size } from '../../../protocol/frame.ts';
import { IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE_PX, SIXEL_COLOURS } from '../../../protocol/limits.ts';
import { CELL_PX } from '../../../protocol/terminal/images/cell-px.ts';

/** A VT220 with sixel graphics (4) and ANSI colours (22). */
const ATTRIBUTES = '\x1b[?62;4;22c';

const COLOURS_ITEM = 1;
const GEOMETRY_ITEM = 2;
const READ = 1;
const READ_MAXIMUM = 4;
const SUCCEEDED = 0;
const NO_SUCH_ITEM = 1;
const NO_SUCH_ACTION = 2;

export function answerGraphicsQueries(size: Size, parser: IParser, answer: (text: string) => void): void {
  parser.registerCsiHandler({ final: 'c' }, ([parameter]) => {
    if (parameter === 0) answer(ATTRIBUTES);
    return true;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'S' }, ([item, action]) => {
    answer(graphicsReport(Number(item), Number(action), size));
    return true;
  });
  parser.registerCsiHandler({ final: 't' }, ([operation]) => {
    if (operation === 14) answer(`\x1b[4;${size.rows * CELL_PX.height};${size.cols * CELL_PX.width}t`);
    else if (operation === 16) answer(`\x1b[6;${CELL_PX.height};${CELL_PX.width}t`);
    else return false;
    return true;
  });
}

/** XTSMGRAPHICS. Neither the colours nor the geometry can be changed. */
function graphicsReport(item: number, action: number, { cols, rows }: Size): string {
  if (item !== COLOURS_ITEM && item !== GEOMETRY_ITEM) return `\x1b[?${item};${NO_SUCH_ITEM};0S`;
  if (action !== READ && action !== READ_MAXIMUM) return `\x1b[?${item};${NO_SUCH_ACTION};0S`;
  if (item === COLOURS_ITEM) return `\x1b[?${item};${SUCCEEDED};${SIXEL_COLOURS}S`;
  const width = Math.min(IMAGE_MAX_SIDE_PX, cols * CELL_PX.width);
  // An image of the whole terminal is allowed to be this high.
  const height = Math.min(IMAGE_MAX_SIDE_PX, rows * CELL_PX.height, Math.floor(IMAGE_MAX_PIXELS / width));
  return `\x1b[?${item};${SUCCEEDED};${width};${height}S`;
}
