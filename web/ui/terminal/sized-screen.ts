/** A screen that knows how large it is. */

import type { Screen } from '../../../client/screen.ts';
import type { Size } from '../../../protocol/frame.ts';

export interface SizedScreen extends Screen {
  readonly size: Size;
  /** What is shown stays, above a line with this sentence; what is written next is another program's. */
  divide(sentence: string): void;
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
