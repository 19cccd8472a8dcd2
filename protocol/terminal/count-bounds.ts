/**
 * Bounds the counts in control sequences. A program may print `CSI 2147483647 L`; xterm then loops two thousand million
 * times, in the agent and in every page that watches. Both sides bound the count with this table before xterm sees it,
 * so that they still show the same screen.
 *
 * The bounds are invisible: inserting more lines than there are rows, or moving over more tab stops than there are
 * columns, has the same result as the bounded count. The exception is REP (`b`): a character repeated over more than
 * the whole screen is repeated only over the whole screen.
 */
import type { Size } from '../frame.ts';
import type { CsiToken } from './token.ts';

type Bound = (size: Size) => number;

const rows: Bound = (size) => size.rows;
const cols: Bound = (size) => size.cols;
const cells: Bound = (size) => size.cols * size.rows;

/** Final bytes of the sequences without prefix or intermediates whose first parameter is a count. */
export const COUNT_BOUNDS: Readonly<Record<string, Bound>> = {
  '@': cols, // ICH insert characters
  A: rows, // CUU up
  B: rows, // CUD down
  C: cols, // CUF right
  D: cols, // CUB left
  E: rows, // CNL next line
  F: rows, // CPL previous line
  I: cols, // CHT tab
  L: rows, // IL insert lines
  M: rows, // DL delete lines
  P: cols, // DCH delete characters
  S: rows, // SU scroll up
  T: rows, // SD scroll down
  X: cols, // ECH erase characters
  Z: cols, // CBT back tab
  a: cols, // HPR right
  b: cells, // REP repeat
  e: rows, // VPR down
};

/** The same for sequences with an intermediate byte: `intermediate + final`. */
export const COUNT_BOUNDS_INTERMEDIATE: Readonly<Record<string, Bound>> = {
  ' @': cols, // SL scroll left
  ' A': cols, // SR scroll right
  "'}": cols, // DECIC insert columns
  "'~": cols, // DECDC delete columns
};

/** The sequence with its count bounded; the same object when there is nothing to bound. */
export function withBoundedCount(csi: CsiToken, size: Size): CsiToken {
  const { prefix, intermediates, final, parameters } = csi;
  if (prefix !== '') return csi;
  const bound = intermediates === '' ? COUNT_BOUNDS[final] : COUNT_BOUNDS_INTERMEDIATE[intermediates + final];
  const count = Number.parseInt(parameters, 10);
  if (bound === undefined || !(count > bound(size))) return csi;
  return { ...csi, parameters: String(bound(size)) };
}
