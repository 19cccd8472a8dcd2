/** Decompresses raw deflate with the browser's own stream, up to the maximum size of a snapshot. */
import { inflateBounded } from '../../../client/bounded-inflate.ts';

export function inflateInBrowser(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  // Written by hand, because a Blob's stream goes through another process while the screen waits for it.
  return inflateBounded({ reader: readable.getReader(), writer: writable.getWriter() }, bytes);
}
