/** A screen that knows its size. */

import type { Screen } from '../../../../client/screen.ts';
import type { Size } from '../../../../protocol/frame.ts';

export interface SizedScreen extends Screen {
  readonly size: Size;
  /** Keeps the current content above a divider with this sentence. What is written next belongs to another program. */
  divide(sentence: string): void;
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
