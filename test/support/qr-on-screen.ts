/** Reads a QR code from the pixels that a browser shows. */
import type { Locator } from 'playwright-core';
import { readQr } from './read-qr.ts';

/** Reads the QR code in a screenshot of an element, as a camera would see it. Null if there is none. */
export async function readQrOnScreen(shown: Locator): Promise<string | null> {
  const png = (await shown.screenshot()).toString('base64');
  const { pixels, width, height } = await shown.page().evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context?.drawImage(image, 0, 0);
    const data = context?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
    // As one string: a million numbers would take seconds.
    const reader = new FileReader();
    const read = new Promise((resolve) => reader.addEventListener('load', resolve));
    reader.readAsDataURL(new Blob([data]));
    await read;
    return { pixels: String(reader.result).replace(/^.*,/, ''), width, height };
  }, png);
  return readQr(Uint8ClampedArray.from(Buffer.from(pixels, 'base64')), width, height);
}
