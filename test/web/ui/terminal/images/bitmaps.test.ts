/** Decoded images: each once, no more than may be kept, and none twice in turn. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BITMAPS_MAX_PIXELS, IMAGE_MAX_PIXELS, IMAGES_KEPT } from '../../../../../protocol/limits.ts';
import { isAllowedSize, type TerminalImage } from '../../../../../protocol/terminal/images/image.ts';
import { Bitmaps } from '../../../../../web/ui/terminal/images/bitmaps.ts';
import { decodeImage } from '../../../../../web/ui/terminal/images/decode-image.ts';
import { png, pngHeader } from '../../../../support/png.ts';
import { bytesOf } from '../../../../vm-agent/screen/terminal-state.ts';

/** What the browser would decode, by its type; and how many bitmaps are open. */
const decoded: string[] = [];
let open = 0;
let drawn = 0;

beforeEach(() => {
  decoded.length = 0;
  open = 0;
  drawn = 0;
  vi.stubGlobal(
    'createImageBitmap',
    async (source: { readonly type?: string; readonly width?: number; readonly height?: number }) => {
      decoded.push(source.type ?? 'pixels');
      open++;
      const { width = 4, height = 2 } = source;
      return { width, height, close: () => open-- };
    },
  );
  vi.stubGlobal(
    'ImageData',
    class {
      readonly width: number;
      readonly height: number;
      constructor(_data: unknown, width: number, height: number) {
        this.width = width;
        this.height = height;
      }
    },
  );
});
afterEach(() => void vi.unstubAllGlobals());

const LIMITS = {
  pixels: BITMAPS_MAX_PIXELS,
  colours: 256,
  paintedPixels: IMAGE_MAX_PIXELS,
  isAllowed: isAllowedSize,
};

const image = (data: string, width = 4, height = 2): TerminalImage => {
  const size = { width, height };
  return { kind: 'file', size, shown: size, data: bytesOf(data) };
};
/** A file that says it is small, shown as if it was as large as any. */
const large = (nth: number) => image(`${png(4, 2, [nth, 0, 0])}`, IMAGE_MAX_PIXELS / 4096, 4096);
const settled = () => new Promise((resolve) => setImmediate(resolve));
const bitmaps = () => new Bitmaps(LIMITS, () => drawn++);

describe('decoded images', () => {
  it('[T5] are decoded once, also if a snapshot brings the same image again', async () => {
    const all = bitmaps();
    expect(all.of(image(png(4, 2, [1, 2, 3])))).toBeUndefined();
    expect(all.of(image(png(4, 2, [1, 2, 3])))).toBeUndefined();
    await settled();
    expect(all.of(image(png(4, 2, [1, 2, 3])))).toMatchObject({ width: 4 });
    expect(decoded).toEqual(['image/png']);
    expect(drawn).toBe(1);
    all.of(image(png(4, 2, [1, 2, 4])));
    expect(decoded).toHaveLength(2);
  });

  it('[T5] [X24] [SEC23] are no more than 256, however small they are', async () => {
    const all = bitmaps();
    for (let nth = 0; nth < 257; nth++) {
      all.begin();
      all.of(image(png(1, 1, [nth >> 8, nth & 0xff, 0]), 1, 1));
      await settled();
      expect(open).toBe(Math.min(256, nth + 1));
    }
    expect(decoded).toHaveLength(257);
    expect(256).toBeGreaterThan(IMAGES_KEPT);
  });

  it('[T5] [SEC23] are no more than may be kept: those that are visible stay, others give way', async () => {
    const all = bitmaps();
    const [first, second, third] = [large(1), large(2), large(3)];
    expect(2 * IMAGE_MAX_PIXELS).toBe(BITMAPS_MAX_PIXELS);
    all.begin();
    all.of(first);
    all.of(second);
    expect(all.of(third)).toBeNull();
    await settled();
    expect([all.of(first), all.of(second)].every((bitmap) => bitmap !== undefined)).toBe(true);
    expect(all.of(third)).toBeNull();
    all.begin();
    all.of(second);
    expect(all.of(third)).toBeUndefined();
    await settled();
    expect(open).toBe(2);
    expect(decoded).toHaveLength(3);
  });

  it('[T5] [SEC23] are closed when their terminal is hidden, even while they are decoded', async () => {
    const all = bitmaps();
    all.of(large(1));
    await settled();
    all.of(large(2));
    all.clear();
    await settled();
    expect(open).toBe(0);
    expect(drawn).toBe(1);
  });
});

describe('an image', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
  it.each([
    { what: 'an SVG that claims to be small', data: svg },
    { what: 'a PNG that is larger than it claims', data: pngHeader(60_000, 60_000) },
    { what: 'text', data: Buffer.from('hello').toString('base64') },
  ])('[T5] [SEC23] is never given to the browser if it is $what', async ({ data }) => {
    expect(await decodeImage(image(data), LIMITS)).toBeNull();
    expect(decoded).toEqual([]);
  });

  it('[T5] [SEC23] is closed if the browser makes more of it than its header says', async () => {
    vi.stubGlobal('createImageBitmap', async () => {
      open++;
      return { width: 60_000, height: 60_000, close: () => open-- };
    });
    expect(await decodeImage(image(png(4, 2, [1, 2, 3])), LIMITS)).toBeNull();
    expect(open).toBe(0);
  });

  it('[T5] [SEC23] that the browser cannot decode is not tried again', async () => {
    vi.stubGlobal('createImageBitmap', async () => {
      decoded.push('broken');
      throw new Error('broken');
    });
    const all = bitmaps();
    all.of(image(png(4, 2, [1, 2, 3])));
    await settled();
    expect(all.of(image(png(4, 2, [1, 2, 3])))).toBeNull();
    expect(decoded).toEqual(['broken']);
  });

  it('[T5] of sixels is painted by us', async () => {
    const size = { width: 2, height: 2 };
    expect(
      await decodeImage({ kind: 'sixel', size, shown: size, data: bytesOf('#1~~') }, LIMITS),
    ).toMatchObject(size);
    expect(decoded).toEqual(['pixels']);
  });
});
