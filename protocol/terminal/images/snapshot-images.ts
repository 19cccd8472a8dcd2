/**
 * Images in snapshots. An image may be partly overwritten, scrolled apart or cut by a narrow window, so a snapshot has
 * its data once, and then the runs of tiles that are left, each where it is:
 *
 *   HoldfastImage=number;kind;width;height;shown width;shown height:data
 *   HoldfastTiles=number;row;column;count        at the cursor, which does not move
 *   HoldfastTiles=number;row;column;count;at     in another column of the cursor's row
 */
import { IMAGE_MAX_SIDE_PX } from '../../limits.ts';
import type { Token } from '../token.ts';
import { type ImageKind, isAllowedSize, type TerminalImage } from './image.ts';
import { TILES_MAX, type Tile, type TileRun } from './tile.ts';

/** More than a session ever prints. Numbers stay exact when they are added. */
const NUMBER_MAX = 1_000_000_000;

export interface Tiles {
  readonly tile: Tile;
  readonly count: number;
  /** Null: at the cursor. */
  readonly at: number | null;
}

/** The beginning of a definition; its data and a terminator follow. */
export function writtenDefinition(number: number, { kind, size, shown }: TerminalImage): string {
  const sizes = [size.width, size.height, shown.width, shown.height].join(';');
  return `\x1b]1337;HoldfastImage=${number};${kind};${sizes}:`;
}

/** `at`: in this column instead of the cursor's. */
export function writtenTiles({ tile, from, to }: TileRun, at?: number): string {
  const place = at === undefined ? '' : `;${at}`;
  return `\x1b]1337;HoldfastTiles=${tile.image};${tile.row};${tile.col};${to - from}${place}\x1b\\`;
}

const OWN_START = '1337;Holdfast';

/** Whether a token is one of these; for a string in parts, its first part. */
export function isSnapshotImage(token: Token): boolean {
  const isString = token.kind === 'string' || token.kind === 'long-start';
  return isString && token.introducer === ']' && token.data.startsWith(OWN_START);
}

type Definition = { readonly number: number; readonly image: Omit<TerminalImage, 'data'> };

export function parseDefinition(value: string): Definition | null {
  const [number, kind, ...sizes] = value.split(';');
  const numbers = [number, ...sizes].map(numberOf);
  const [id = 0, width = 0, height = 0, shownWidth = 0, shownHeight = 0] = numbers;
  const image = {
    kind: kind as ImageKind,
    size: { width, height },
    shown: { width: shownWidth, height: shownHeight },
  };
  const isKind = kind === 'sixel' || kind === 'file';
  // An image that is shown larger than it is may be larger than images are allowed to be, but not by its sides.
  const isShown = [shownWidth, shownHeight].every((side) => side >= 1 && side <= IMAGE_MAX_SIDE_PX);
  return id >= 1 && isKind && isAllowedSize(image.size) && isShown ? { number: id, image } : null;
}

export function parseTiles(value: string): Tiles | null {
  const numbers = value.split(';').map(numberOf);
  const [number = 0, row = -1, col = -1, count = 0, at = null] = numbers;
  const isPlace = number >= 1 && row >= 0 && col >= 0 && (at ?? 0) >= 0;
  const isInside = row < TILES_MAX && count >= 1 && col + count <= TILES_MAX;
  return isPlace && isInside ? { tile: { image: number, row, col }, count, at } : null;
}

/** -1 if it is no number. */
function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= NUMBER_MAX ? Number(text) : -1;
}
