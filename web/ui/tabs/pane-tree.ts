/**
 * Terminals side by side, as an immutable value: a tree whose leaves are panes. Each branch divides its area in two, so
 * that sizes always add up, and has one divider.
 *
 *        row 50                ┌─────┬─────┐
 *       ╱      ╲               │     │  b  │
 *      a     column 30         │  a  ├─────┤
 *            ╱     ╲           │     │  c  │
 *           b       c          └─────┴─────┘
 */
import {
  SPLIT_MAX_DEPTH,
  SPLIT_MAX_PANES,
  SPLIT_MAX_PERCENT,
  SPLIT_MIN_PERCENT,
} from '../../../protocol/limits.ts';

/** `row`: side by side; `column`: one below the other. */
export type Direction = 'row' | 'column';

export interface Branch {
  readonly direction: Direction;
  /** The share of `first`, the left or upper part. */
  readonly percent: number;
  readonly first: PaneTree;
  readonly second: PaneTree;
}

/** A branch, or the key of the tab that is shown in the pane. */
export type PaneTree = Branch | string;

/** Where a branch is: `0` for each first and `1` for each second part on the way from the root, which is empty. */
export type BranchPath = string;

/** The panes, in the order in which they are read. */
export function panesOf(tree: PaneTree): string[] {
  return typeof tree === 'string' ? [tree] : [...panesOf(tree.first), ...panesOf(tree.second)];
}

export function depthOf(tree: PaneTree): number {
  return typeof tree === 'string' ? 0 : 1 + Math.max(depthOf(tree.first), depthOf(tree.second));
}

export function isWithinBounds(tree: PaneTree): boolean {
  return panesOf(tree).length <= SPLIT_MAX_PANES && depthOf(tree) <= SPLIT_MAX_DEPTH;
}

/** Divides the pane `key` in halves, the second of which is `added`. */
export function divided(tree: PaneTree, key: string, direction: Direction, added: string): PaneTree {
  if (tree === key) return { direction, percent: 50, first: key, second: added };
  if (typeof tree === 'string') return tree;
  return {
    ...tree,
    first: divided(tree.first, key, direction, added),
    second: divided(tree.second, key, direction, added),
  };
}

/** The tree with other keys. Panes without one are removed, and their neighbours get the room; null if none is left. */
export function mapped(tree: PaneTree, keyOf: (key: string) => string | null): PaneTree | null {
  if (typeof tree === 'string') return keyOf(tree);
  const first = mapped(tree.first, keyOf);
  const second = mapped(tree.second, keyOf);
  if (first === null || second === null) return first ?? second;
  return { ...tree, first, second };
}

export function without(tree: PaneTree, key: string): PaneTree | null {
  return mapped(tree, (pane) => (pane === key ? null : pane));
}

/** Moves the divider of the branch at `path`. */
export function resized(tree: PaneTree, path: BranchPath, percent: number): PaneTree {
  if (typeof tree === 'string') return tree;
  if (path === '') return { ...tree, percent: clampPercent(percent) };
  const [part, rest] = [path[0] === '0' ? 'first' : 'second', path.slice(1)] as const;
  return { ...tree, [part]: resized(tree[part], rest, percent) };
}

function clampPercent(percent: number): number {
  return Math.round(Math.min(SPLIT_MAX_PERCENT, Math.max(SPLIT_MIN_PERCENT, percent)));
}

/** In percent of the whole area. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const WHOLE_AREA: Area = { left: 0, top: 0, width: 100, height: 100 };

export interface Divider {
  readonly path: BranchPath;
  readonly direction: Direction;
  readonly percent: number;
  /** The area that it divides. */
  readonly area: Area;
  /** The panes on either side, for a label. */
  readonly first: readonly string[];
  readonly second: readonly string[];
}

/** Where each pane is. */
export function areasOf(tree: PaneTree, area = WHOLE_AREA): Map<string, Area> {
  if (typeof tree === 'string') return new Map([[tree, area]]);
  const [first, second] = partsOf(tree, area);
  return new Map([...areasOf(tree.first, first), ...areasOf(tree.second, second)]);
}

export function dividersOf(tree: PaneTree, area = WHOLE_AREA, path: BranchPath = ''): Divider[] {
  if (typeof tree === 'string') return [];
  const [first, second] = partsOf(tree, area);
  const { direction, percent } = tree;
  const own = { path, direction, percent, area, first: panesOf(tree.first), second: panesOf(tree.second) };
  return [own, ...dividersOf(tree.first, first, `${path}0`), ...dividersOf(tree.second, second, `${path}1`)];
}

function partsOf({ direction, percent }: Branch, { left, top, width, height }: Area): [Area, Area] {
  if (direction === 'row') {
    const own = (width * percent) / 100;
    return [
      { left, top, width: own, height },
      { left: left + own, top, width: width - own, height },
    ];
  }
  const own = (height * percent) / 100;
  return [
    { left, top, width, height: own },
    { left, top: top + own, width, height: height - own },
  ];
}

/** The path of the innermost branch around a pane, whose divider is beside it; null if the pane is alone. */
export function branchAround(tree: PaneTree, key: string, path: BranchPath = ''): BranchPath | null {
  if (typeof tree === 'string') return null;
  if (tree.first === key || tree.second === key) return path;
  return branchAround(tree.first, key, `${path}0`) ?? branchAround(tree.second, key, `${path}1`);
}

/** The pane that gets the focus when `key` is closed: the nearest in the part that gets its room. */
export function heirOf(tree: PaneTree, key: string): string | null {
  if (typeof tree === 'string') return null;
  if (tree.first === key) return panesOf(tree.second)[0] ?? null;
  if (tree.second === key) return panesOf(tree.first).at(-1) ?? null;
  return heirOf(tree.first, key) ?? heirOf(tree.second, key);
}
