/** What a terminal remembers of its images, and what is forgotten first. */
import { describe, expect, it } from 'vitest';
import {
  IMAGES_ASLEEP_MAX_CHARS,
  IMAGES_AWAKE_MAX_CHARS,
  IMAGES_KEPT,
  IMAGES_KEPT_MAX_CHARS,
} from '../../../../protocol/limits.ts';
import type { TerminalImage } from '../../../../protocol/terminal/images/image.ts';
import { ImageStore } from '../../../../protocol/terminal/images/image-store.ts';
import { SharedImageRoom } from '../../../../vm-agent/screen/images/shared-room.ts';
import { newestImages } from '../../../../vm-agent/screen/images/written-images.ts';

const SIZE = { width: 1, height: 1 };
const image = (chars: number): TerminalImage => ({
  kind: 'sixel',
  size: SIZE,
  shown: SIZE,
  data: new Uint8Array(chars),
});
const numbers = ({ images }: Pick<ImageStore, 'images'>) => [...images.keys()].sort((a, b) => a - b);

describe('the images of a terminal', () => {
  it('[T5] [SEC23] are no more than are kept; one more replaces the oldest', () => {
    const store = new ImageStore();
    for (let number = 1; number <= IMAGES_KEPT; number++) store.add(number, image(1));
    expect(numbers(store)).toHaveLength(IMAGES_KEPT);
    store.add(IMAGES_KEPT + 1, image(1));
    expect(numbers(store)).toHaveLength(IMAGES_KEPT);
    expect(store.images.has(1)).toBe(false);
  });

  it('[T5] [SEC23] have no more data than is kept; one character more replaces the oldest', () => {
    const half = IMAGES_KEPT_MAX_CHARS / 2;
    const store = new ImageStore();
    store.add(1, image(half));
    store.add(2, image(half));
    expect(numbers(store)).toEqual([1, 2]);
    store.add(3, image(1));
    expect(numbers(store)).toEqual([2, 3]);
    store.add(4, image(IMAGES_KEPT_MAX_CHARS + 1));
    expect(numbers(store)).toEqual([]);
  });

  it('[T5] are forgotten by their numbers, in whatever order a snapshot brings them', () => {
    const store = new ImageStore();
    for (const number of [9, 2, 5]) store.add(number, image(IMAGES_KEPT_MAX_CHARS / 3));
    store.add(10, image(1));
    expect(numbers(store)).toEqual([5, 9, 10]);
  });

  it('[T5] replace one with the same number, which then counts no more', () => {
    const store = new ImageStore();
    store.add(1, image(IMAGES_KEPT_MAX_CHARS));
    store.add(1, image(1));
    store.add(2, image(IMAGES_KEPT_MAX_CHARS - 1));
    expect(numbers(store)).toEqual([1, 2]);
  });
});

describe('the images of all terminals of a thread', () => {
  const full = IMAGES_AWAKE_MAX_CHARS / IMAGES_KEPT_MAX_CHARS;

  it('[T5] [SEC23] share one bound: at it a terminal replaces its own images, or keeps none', () => {
    const room = new SharedImageRoom();
    const stores = Array.from({ length: full }, () => new ImageStore(room));
    for (const store of stores) store.add(1, image(IMAGES_KEPT_MAX_CHARS));
    const [first, ...others] = stores;
    if (first === undefined) throw new Error('no store');
    const late = new ImageStore(room);
    late.add(1, image(1));
    expect(numbers(late)).toEqual([]);
    first.add(2, image(IMAGES_KEPT_MAX_CHARS));
    expect(numbers(first)).toEqual([2]);
    expect(others.every((store) => store.images.has(1))).toBe(true);
    first.clear();
    late.add(2, image(IMAGES_KEPT_MAX_CHARS));
    expect(numbers(late)).toEqual([2]);
  });
});

describe('the images of a screen that falls asleep', () => {
  const images = new Map([1, 2, 3].map((number) => [number, image(10)]));
  it.each([
    { room: IMAGES_ASLEEP_MAX_CHARS, kept: [1, 2, 3] },
    { room: 30, kept: [1, 2, 3] },
    { room: 29, kept: [2, 3] },
    { room: 9, kept: [] },
  ])('[T5] [SEC23] are the newest that fit into $room characters', ({ room, kept }) => {
    expect(numbers(newestImages({ images, hasTiles: true }, room))).toEqual(kept);
  });
});
