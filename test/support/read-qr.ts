/** Reads the QR code in a picture, with another library than the one that draws ours. */
import jsqr from 'jsqr';

/** `pixels`: four bytes each, red, green, blue and alpha. Null if there is no code that can be read. */
export function readQr(pixels: Uint8ClampedArray, width: number, height: number): string | null {
  // Dark on light only: many phones read nothing else.
  return jsqr.default(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null;
}

/** A picture of `isDark`, which is asked for each module, `scale` pixels wide. */
export function readQrModules(
  size: { readonly columns: number; readonly rows: number },
  isDark: (row: number, column: number) => boolean,
  scale = 4,
): string | null {
  const [width, height] = [size.columns * scale, size.rows * scale];
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isDark(Math.floor(y / scale), Math.floor(x / scale)))
        pixels.fill(0, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  }
  return readQr(pixels, width, height);
}
