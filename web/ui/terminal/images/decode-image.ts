/** Decodes an image. Files are decoded by the browser, and only as pictures of the types that we allow. */
import { bytesOfBase64 } from '../../../../protocol/terminal/images/base64.ts';
import { headerOfFile } from '../../../../protocol/terminal/images/file-size.ts';
import type { ImageSize, TerminalImage } from '../../../../protocol/terminal/images/image.ts';
import { type PaintLimits, SixelPainter } from './sixel-painter.ts';

/**
 * The limits of what is decoded. They are passed in: a module of constants that code loaded later imports would become a
 * file of its own, which every page has to load first.
 */
export interface DecodeLimits extends PaintLimits {
  readonly isAllowed: (size: ImageSize) => boolean;
}

/** Null if it is broken. */
export async function decodeImage(image: TerminalImage, limits: DecodeLimits): Promise<ImageBitmap | null> {
  try {
    return image.kind === 'sixel' ? await sixelBitmap(image, limits) : await fileBitmap(image, limits);
  } catch {
    return null;
  }
}

/** Painted at once: a few milliseconds, or a tenth of a second if it paints all that it may. */
const STEP_CHARS = 64 * 1024;

/** In steps, between which the page does other work. */
async function sixelBitmap({ data, size }: TerminalImage, limits: PaintLimits): Promise<ImageBitmap> {
  const painter = new SixelPainter(size, limits);
  for (let at = 0; at < data.length && !painter.isDone; at += STEP_CHARS) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve));
    painter.paint(data.subarray(at, at + STEP_CHARS));
  }
  return createImageBitmap(new ImageData(painter.pixels, size.width, size.height));
}

/** The header is read again: in a snapshot, the size is told beside the file and need not be the file's. */
async function fileBitmap({ data }: TerminalImage, { isAllowed }: DecodeLimits): Promise<ImageBitmap | null> {
  const header = headerOfFile(data);
  if (header === null || !isAllowed(header.size)) return null;
  const bytes = bytesOfBase64(data, 0, data.length);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: header.type }));
  if (isAllowed(bitmap)) return bitmap;
  bitmap.close();
  return null;
}
