/** Undoes raw deflate with what the browser has, up to the size a snapshot may have. */
import { inflateBounded } from '../../../client/bounded-inflate.ts';

export function inflateInBrowser(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  // Written by hand: a Blob's stream comes by way of another process, and a screen waits for it.
  return inflateBounded({ reader: readable.getReader(), writer: writable.getWriter() }, bytes);
}
