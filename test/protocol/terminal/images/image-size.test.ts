/** The sizes of images, from what is printed: nothing is decoded to know them. */
import { describe, expect, it } from 'vitest';
import { IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE_PX } from '../../../../protocol/limits.ts';
import { bytesOfBase64, isBase64 } from '../../../../protocol/terminal/images/base64.ts';
import { headerOfFile } from '../../../../protocol/terminal/images/file-size.ts';
import { cellsOf, isAllowedSize } from '../../../../protocol/terminal/images/image.ts';
import { fileArguments, shownSize } from '../../../../protocol/terminal/images/inline-file.ts';
import { SixelMeter } from '../../../../protocol/terminal/images/sixel-size.ts';
import { png, pngHeader } from '../../../support/png.ts';
import { bytesOf } from '../../../vm-agent/screen/terminal-state.ts';

const base64 = (...bytes: number[]) => bytesOf(Buffer.from(bytes).toString('base64'));
const text = (content: string) => bytesOf(Buffer.from(content).toString('base64'));

describe('the header of a file', () => {
  const segment = (marker: number, length: number) => [
    ...[0xff, marker, (length + 2) >> 8, (length + 2) & 0xff],
    ...Array.from({ length }, () => 0),
  ];
  const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0x40, 0x02, 0x80];
  const ascii = (content: string) => [...Buffer.from(content, 'latin1')];
  /** A GIF of 320 × 2, with these blocks. */
  const gif = (...blocks: number[]) =>
    base64(...ascii('GIF89a\x40\x01\x02\x00\x80\x00\x00'), ...colours, ...blocks);
  const colours = [0, 0, 0, 255, 255, 255];
  const gifFrame = (left: number, top: number, width: number, height: number) => [
    0x2c,
    ...[left, top, width, height].flatMap((number) => [number & 0xff, number >> 8]),
    0,
  ];
  const control = [0x21, 0xf9, 4, 0, 0, 0, 0, 0];
  const comment = [0x21, 0xfe, 2, 0x2c, 0x2c, 3, 1, 2, 3, 0];

  it.each([
    { what: 'PNG', file: bytesOf(png(300, 7, [1, 2, 3])), is: { type: 'image/png', size: '300×7' } },
    {
      what: 'a huge PNG',
      file: bytesOf(pngHeader(60_000, 60_000)),
      is: { type: 'image/png', size: '60000×60000' },
    },
    {
      what: 'GIF, after a comment',
      file: gif(...comment, ...control, ...gifFrame(0, 0, 320, 2)),
      is: { type: 'image/gif', size: '320×2' },
    },
    {
      what: 'GIF whose first frame is larger than it says',
      file: gif(...gifFrame(1, 3, 60_000, 50_000)),
      is: { type: 'image/gif', size: '60001×50003' },
    },
    { what: 'GIF without a frame', file: gif(...comment, 0x3b), is: null },
    {
      what: 'GIF with an extension of another length',
      file: gif(0x21, 0xf9, 1, 0, 0, ...gifFrame(0, 0, 1, 1)),
      is: null,
    },
    { what: 'GIF that ends before its frame', file: gif(...comment, 0x2c, 0, 0), is: null },
    {
      what: 'GIF of comments only',
      file: gif(...Array(600).fill(comment).flat(), ...gifFrame(0, 0, 1, 1)),
      is: null,
    },
    {
      what: 'PNG whose first chunk is another one',
      file: base64(
        ...ascii(Buffer.from(pngHeader(9, 9), 'base64').toString('latin1').replace('IHDR', 'aaAa')),
      ),
      is: null,
    },
    {
      what: 'JPEG, after a preview, a filling byte and a table',
      file: base64(0xff, 0xd8, ...segment(0xe1, 40_000), 0xff, ...segment(0xc4, 9), ...frame),
      is: { type: 'image/jpeg', size: '640×320' },
    },
    { what: 'JPEG that ends before its size', file: base64(0xff, 0xd8, 0xff, 0xe1, 0, 9), is: null },
    ...[0x00, 0x01, 0xd0, 0xd7, 0xd8, 0xd9, 0xda].map((marker) => ({
      what: `JPEG with a marker that has no length: ${marker.toString(16)}`,
      // Decoders go on behind the marker, and find another size there than behind what would be its length.
      file: base64(0xff, 0xd8, 0xff, marker, ...segment(0xe1, 9).with(0, 0).with(1, 13), ...frame),
      is: null,
    })),
    {
      what: 'JPEG of segments only',
      file: base64(0xff, 0xd8, ...segment(0xe1, 0).concat(...Array(300).fill(segment(0xe1, 0))), ...frame),
      is: null,
    },
    { what: 'PNG that ends before its size', file: bytesOf(pngHeader(9, 9).slice(0, 28)), is: null },
    { what: 'SVG', file: text('<svg xmlns="http://www.w3.org/2000/svg"/>'), is: null },
    { what: 'SVG behind a declaration', file: text('<?xml version="1.0"?><svg onload="x()"/>'), is: null },
    { what: 'TIFF', file: text('II*\x00\x08\x00\x00\x00'), is: null },
    { what: 'text', file: text('hello'), is: null },
    { what: 'nothing', file: text(''), is: null },
  ])('[T5] [X23] [SEC23] of $what', ({ file, is }) => {
    const header = headerOfFile(file);
    const told =
      header === null ? null : { type: header.type, size: `${header.size.width}×${header.size.height}` };
    expect(told).toEqual(is);
  });

  it('[T5] is read from base64 at any place, also if its end is broken', () => {
    const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => (at * 37) % 256));
    for (const encoded of [bytes.toString('base64'), bytes.toString('base64').replaceAll('=', '')])
      for (let from = 0; from < 100; from += 7)
        expect([...bytesOfBase64(bytesOf(encoded.replaceAll('=', '')), from, from + 11)]).toEqual([
          ...bytes.subarray(from, from + 11),
        ]);
    expect([...'Az09+/'].every((char) => isBase64(char.charCodeAt(0)))).toBe(true);
    expect([...'=-_ \n!?\u00e9\u20ac'].some((char) => isBase64(char.charCodeAt(0)))).toBe(false);
  });
});

describe('the size of sixels', () => {
  const measured = (data: string, cut = data.length) => {
    const meter = new SixelMeter();
    const codes = bytesOf(data);
    meter.take(codes, 0, cut);
    meter.take(codes, cut, codes.length);
    const size = meter.end();
    return size === null ? 'none' : `${size.width}×${size.height}${meter.endsBelow ? ' below' : ''}`;
  };

  it.each([
    { data: '"1;1;320;200#1~~', size: '320×200' },
    { data: '"1;1;320;200', size: '320×200' },
    { data: '"1;1;320;200#1~-~-', size: '320×200 below' },
    { data: '"1;1~~', size: '2×6' },
    { data: '~~~', size: '3×6' },
    { data: '#1;2;99;99;99~~$#2~~~~-~', size: '4×12' },
    { data: '!40~!2?-', size: '42×6 below' },
    { data: '!0~', size: '1×6' },
    { data: '~"1;1;90;90~', size: '2×6' },
    { data: '!99999999~', size: '1000000×6' },
    { data: '"1;1;99999999999999999999;1', size: '1000000×1' },
    { data: `~${'-'.repeat(3)}`, size: '1×18 below' },
    { data: '~\n-\r\n ~', size: '1×12' },
    { data: '', size: 'none' },
    { data: '#1;2;3;4;5', size: 'none' },
  ])('[T5] of $data is $size, wherever it is cut', ({ data, size }) => {
    for (let cut = 0; cut <= data.length; cut++) expect(measured(data, cut)).toBe(size);
  });
});

describe('the size of an image', () => {
  it.each([
    { width: IMAGE_MAX_SIDE_PX, height: 2048, is: true },
    { width: IMAGE_MAX_SIDE_PX, height: IMAGE_MAX_PIXELS / IMAGE_MAX_SIDE_PX + 1, is: false },
    { width: IMAGE_MAX_SIDE_PX + 1, height: 1, is: false },
    { width: 1, height: IMAGE_MAX_SIDE_PX + 1, is: false },
    { width: 0, height: 1, is: false },
    { width: 1, height: 0, is: false },
  ])('[T5] [SEC23] of $width × $height is allowed: $is', ({ is, ...size }) => {
    expect(isAllowedSize(size)).toBe(is);
  });

  it('[T5] is that of the cells it touches', () => {
    expect(cellsOf({ width: 10, height: 20 })).toEqual({ cols: 1, rows: 1 });
    expect(cellsOf({ width: 11, height: 21 })).toEqual({ cols: 2, rows: 2 });
  });
});

describe('the arguments of a file', () => {
  const shown = (how: string, own = { width: 200, height: 100 }) => {
    const wanted = fileArguments(`inline=1${how}`);
    if (wanted === null) throw new Error('a download');
    const { width, height } = shownSize(own, wanted, { cols: 80, rows: 24 });
    return `${width}×${height}`;
  };

  it.each([
    { how: '', is: '200×100' },
    { how: ';width=10', is: '100×50' },
    { how: ';width=50px', is: '50×25' },
    { how: ';width=50%', is: '400×200' },
    { how: ';height=2', is: '80×40' },
    { how: ';width=10;height=10', is: '100×50' },
    { how: ';width=10;height=10;preserveAspectRatio=0', is: '100×200' },
    { how: ';width=10;preserveAspectRatio=0', is: '100×100' },
    { how: ';width=auto;height=auto', is: '200×100' },
    { how: ';width=0;height=-3;WIDTH=evil', is: '200×100' },
    { how: ';width=200', is: '800×400' },
    { how: ';width=99999px;height=99999px;preserveAspectRatio=0', is: '800×4096' },
  ])('[T5] "$how" show it as $is', ({ how, is }) => {
    expect(shown(how)).toBe(is);
  });

  it.each([
    { what: 'wide', own: { width: 4000, height: 20 }, is: '800×4' },
    { what: 'very high', own: { width: 20, height: 4096 }, is: '20×4096' },
    { what: 'as narrow as nothing', own: { width: 4096, height: 1 }, is: '800×1' },
  ])('[T5] let one that is $what fit the width of the terminal', ({ own, is }) => {
    expect(shown('', own)).toBe(is);
  });

  it.each(['', 'inline=0', 'inline=2', 'name=L2V0Yy9wYXNzd2Q=', 'inline'])(
    '[T5] [SEC23] make a download of "%s", which is ignored',
    (how) => {
      expect(fileArguments(how)).toBeNull();
    },
  );
});
