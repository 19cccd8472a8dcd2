/**
 * The type and the size of an image file, from its header. Nothing is decoded: a file of a few kilobytes may be 60 000
 * pixels wide. Only types that every browser draws as a picture and nothing else; SVG is a document, and never drawn.
 *
 * Browsers must find the same size. A file in which they might look elsewhere has none: it could be small here and huge
 * there.
 */
import { bytesOfBase64 } from './base64.ts';
import { gifSize } from './gif-size.ts';
import type { ImageSize } from './image.ts';

export type FileType = 'image/png' | 'image/jpeg' | 'image/gif';

export interface FileHeader {
  readonly type: FileType;
  readonly size: ImageSize;
}

/** Bytes from one place to another; fewer at the end of the file. */
type Read = (from: number, to: number) => Uint8Array;

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const GIF = [0x47, 0x49, 0x46, 0x38];
/** The length and the name of the chunk that has the size. */
const IHDR = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];

/** Segments of a JPEG file before its size. Cameras write a dozen, and a preview in up to a few dozen. */
const SEGMENTS_MAX = 256;

/** Null if the file is of another type, or ends before its size. */
export function headerOfFile(base64: Uint8Array): FileHeader | null {
  const read: Read = (from, to) => bytesOfBase64(base64, from, to);
  const start = read(0, 24);
  if (begins(start, PNG)) return header('image/png', pngSize(start));
  if (begins(start, JPEG)) return header('image/jpeg', jpegSize(read));
  return begins(start, GIF) ? header('image/gif', gifSize(read)) : null;
}

function header(type: FileType, size: ImageSize | null): FileHeader | null {
  return size === null ? null : { type, size };
}

function begins(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}

/** The first chunk is IHDR: length, name, width, height. */
function pngSize(start: Uint8Array): ImageSize | null {
  if (start.length < 24 || !begins(start.subarray(PNG.length), IHDR)) return null;
  return { width: number32(start, 16), height: number32(start, 20) };
}

/** Segments, each with a marker and its length, until the one that begins a frame. */
function jpegSize(read: Read): ImageSize | null {
  let at = 2;
  for (let count = 0; count < SEGMENTS_MAX; count++) {
    const segment = read(at, at + 9);
    const marker = segment[1] ?? 0;
    if (segment.length < 4 || segment[0] !== 0xff) return null;
    if (isFrame(marker))
      return segment.length < 9 ? null : { height: number16(segment, 5), width: number16(segment, 7) };
    // A byte 0xff may fill the space before a marker.
    if (marker === 0xff) at++;
    else if (hasLength(marker)) at += 2 + number16(segment, 2);
    else return null;
  }
  return null;
}

/** Decoders skip the others without a length, or end there. None of them comes before the size. */
function hasLength(marker: number): boolean {
  return marker >= 0xc0 && (marker < 0xd0 || marker > 0xda);
}

/** SOF0 to SOF15, without the tables that have numbers between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function number16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0);
}

function number32(bytes: Uint8Array, at: number): number {
  return number16(bytes, at) * 0x10000 + number16(bytes, at + 2);
}
