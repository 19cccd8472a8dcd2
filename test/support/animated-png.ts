/**
 * Joins PNG pictures of the same size and format into one animated PNG, which browsers play and other programs show as
 * the first picture. Specified in the third edition of the PNG specification.
 */
import { crc32 } from 'node:zlib';

export interface AnimationFrame {
  readonly png: Buffer;
  readonly ms: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function animatedPng(frames: readonly AnimationFrame[]): Buffer {
  const pictures = frames.map(({ png }) => chunksOf(png));
  const header = only(pictures[0] ?? [], 'IHDR');
  if (!pictures.every((chunks) => only(chunks, 'IHDR').equals(header)))
    throw new Error('the pictures differ in size or format');
  let sequence = 0;
  const written = [chunk('IHDR', header), chunk('acTL', numbers(frames.length, 0))];
  frames.forEach(({ ms }, index) => {
    const place = numbers(sequence++, header.readUInt32BE(0), header.readUInt32BE(4), 0, 0);
    const delay = Buffer.from([ms >> 8, ms & 0xff, 1000 >> 8, 1000 & 0xff, 0, 0]);
    written.push(chunk('fcTL', Buffer.concat([place, delay])));
    for (const { type, data } of pictures[index] ?? []) {
      if (type !== 'IDAT') continue;
      written.push(
        index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers(sequence++), data])),
      );
    }
  });
  return Buffer.concat([SIGNATURE, ...written, chunk('IEND', Buffer.alloc(0))]);
}

function chunksOf(png: Buffer): Chunk[] {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('not a PNG picture');
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function only(chunks: readonly Chunk[], wanted: string): Buffer {
  const [found] = chunks.filter(({ type }) => type === wanted);
  if (found === undefined) throw new Error(`a picture without ${wanted}`);
  return found.data;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), typed, numbers(crc32(typed))]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
}
