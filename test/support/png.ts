/** PNG files in base64: the header alone, or a whole picture of one colour. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB = 2;

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function ihdr(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, RGB, 0, 0, 0], 8);
  return Buffer.concat([SIGNATURE, chunk('IHDR', data)]);
}

export function pngHeader(width: number, height: number): string {
  return ihdr(width, height).toString('base64');
}

export function png(width: number, height: number, colour: readonly [number, number, number]): string {
  const row = Buffer.alloc(1 + 3 * width);
  for (let x = 0; x < width; x++) row.set(colour, 1 + 3 * x);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const end = [chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([ihdr(width, height), ...end]).toString('base64');
}
