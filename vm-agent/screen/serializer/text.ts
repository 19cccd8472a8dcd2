/** Writes a terminal as plain text, as a person would read or copy it. Wrapped rows are joined. */

import { type ImageState, type ImageText, imageTexts } from '../images/written-images.ts';
import { charsOf, hasContent, widthOf } from '../xterm/cells.ts';
import type { XtermLine, XtermState } from '../xterm/xterm.ts';
import { firstLine, type SnapshotExtent } from './ansi.ts';

/** Empty rows below the last one with content are left out; `all` includes the history above. */
export function* textOf(core: XtermState, scope: SnapshotExtent, images: ImageState): Generator<string> {
  const { active, alt } = core.buffers;
  const from = active === alt ? active.ybase : firstLine(scope, active);
  let blankRows = 0;
  for (let row = from; row < active.lines.length; row++) {
    const line = active.lines.get(row);
    if (line === undefined) continue;
    const continues = row + 1 < active.lines.length && active.lines.get(row + 1)?.isWrapped === true;
    const inPlace = imageTexts(images, line, core.cols);
    const used = Math.max(usedCols(line, core.cols), ...[...inPlace.keys()].map((col) => col + 1));
    const text = rowText(line, continues ? core.cols : used, inPlace);
    if (continues || text !== '') {
      yield '\n'.repeat(blankRows) + text + (continues ? '' : '\n');
      blankRows = 0;
    } else {
      blankRows++;
    }
  }
}

function usedCols(line: XtermLine, cols: number): number {
  let end = cols;
  while (end > 0 && (!hasContent(line, end - 1) || charsOf(line, end - 1) === ' ')) end--;
  return end;
}

function rowText(line: XtermLine, used: number, images: ReadonlyMap<number, ImageText>): string {
  let text = '';
  for (let col = 0; col < used; col++) {
    if (widthOf(line, col) === 0 && !hasContent(line, col)) continue;
    const image = images.get(col);
    if (image === undefined) {
      text += hasContent(line, col) ? charsOf(line, col) : ' ';
      continue;
    }
    // Its cells show nothing else.
    text += image.text.padEnd(Math.min(image.to, used) - col);
    col = image.to - 1;
  }
  return text;
}
