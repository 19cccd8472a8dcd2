/** The pixels of sixel images, and which of them a cell shows. */
import { describe, expect, it } from 'vitest';
import { SIXEL_COLOURS, SIXEL_PAINTED_MAX_PIXELS } from '../../../../../protocol/limits.ts';
import { hlsColour, rgbColour } from '../../../../../web/ui/terminal/images/sixel-colours.ts';
import { SixelPainter } from '../../../../../web/ui/terminal/images/sixel-painter.ts';
import { sourceOf } from '../../../../../web/ui/terminal/images/source-area.ts';
import { bytesOf } from '../../../../vm-agent/screen/terminal-state.ts';

/** The first four colours that are defined are letters; a dot is transparent, and a question mark another colour. */
const DEFINED = '#1;2;100;0;0#2;2;0;100;0#3;2;0;0;100#4;2;100;100;100';
const LETTERS = new Map([
  ['0 0 0 0', '.'],
  ['255 0 0 255', 'r'],
  ['0 255 0 255', 'g'],
  ['0 0 255 255', 'b'],
  ['255 255 255 255', 'w'],
]);

function decodeSixel(data: Uint8Array, size: { width: number; height: number }): Uint8ClampedArray {
  const painter = new SixelPainter(size, { colours: SIXEL_COLOURS, paintedPixels: SIXEL_PAINTED_MAX_PIXELS });
  painter.paint(data);
  return painter.pixels;
}

function painted(data: string, width: number, height: number): string[] {
  const pixels = decodeSixel(bytesOf(DEFINED + data), { width, height });
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = 4 * (y * width + x);
      return LETTERS.get(pixels.subarray(at, at + 4).join(' ')) ?? '?';
    }).join(''),
  );
}

describe('sixel data', () => {
  it.each([
    { data: '#1@A~', is: ['r.r', '.rr', '..r'], what: 'bits from top to bottom' },
    { data: '#1~~~$#2?@', is: ['rgr', 'rrr', 'rrr'], what: 'another colour over it' },
    { data: '#3!2~#1~', is: ['bbr', 'bbr', 'bbr'], what: 'a repeated sixel' },
    { data: '#3!99999999~', is: ['bbb', 'bbb', 'bbb'], what: 'a sixel repeated beyond the edge' },
    { data: '#1!9~~~~$#2~', is: ['grr', 'grr', 'grr'], what: 'sixels beyond the edge, and back' },
    { data: '-#1~', is: ['...', '...', '...'], what: 'a band below the image' },
    { data: '#4~#257~', is: ['wr.', 'wr.', 'wr.'], what: 'a colour beyond the last, which begins again' },
    {
      data: '#5;1;120;50;100~',
      is: ['r..', 'r..', 'r..'],
      what: 'a colour as hue, lightness and saturation',
    },
    { data: '"9;9;9;9#1\x7f~', is: ['r..', 'r..', 'r..'], what: 'a size that is known already' },
    {
      data: '#1;2;;~',
      is: ['r..', 'r..', 'r..'],
      what: 'a colour with too few numbers, which is only selected',
    },
    { data: '#1!~', is: ['r..', 'r..', 'r..'], what: 'a repetition without a number' },
  ])('[T5] paints $what', ({ data, is }) => {
    expect(painted(data, 3, 3)).toEqual(is);
  });

  it('[T5] goes to the next band', () => {
    expect(painted('#1~-#2~', 1, 12).join('')).toBe('rrrrrrgggggg');
  });

  it('[T5] has colours in percent, and hues that begin with blue', () => {
    expect([...new Uint8Array(Uint32Array.of(rgbColour(50, 0, 200)).buffer)]).toEqual([128, 0, 255, 255]);
    const hues = [0, 120, 240].map((hue) => hlsColour(hue, 50, 100));
    expect(hues).toEqual([rgbColour(0, 0, 100), rgbColour(100, 0, 0), rgbColour(0, 100, 0)]);
    expect(hlsColour(77, 100, 40)).toBe(rgbColour(100, 100, 100));
  });

  it('[T5] [SEC23] is painted up to a limit, although every byte is valid', () => {
    const [width, height] = [4096, 6];
    const pass = '#1!4096~$';
    const passes = SIXEL_PAINTED_MAX_PIXELS / (width * height);
    const within = decodeSixel(bytesOf(`${DEFINED + pass.repeat(Math.floor(passes))}#2~`), { width, height });
    const beyond = decodeSixel(bytesOf(`${DEFINED + pass.repeat(Math.ceil(passes) + 1)}#2~`), {
      width,
      height,
    });
    expect([...within.subarray(0, 4)]).toEqual([0, 255, 0, 255]);
    expect([...beyond.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
  });
});

describe('a run of tiles', () => {
  const run = (row: number, col: number, count: number) => ({
    tile: { image: 1, row, col },
    from: 5,
    to: 5 + count,
  });

  it.each([
    { what: 'whole cells', run: run(0, 0, 2), x: 0, y: 0, width: 20, height: 20, across: 1, down: 1 },
    { what: 'the end of a row', run: run(0, 2, 1), x: 20, y: 0, width: 5, height: 20, across: 0.5, down: 1 },
    {
      what: 'the last row',
      run: run(1, 0, 3),
      x: 0,
      y: 20,
      width: 25,
      height: 10,
      across: 25 / 30,
      down: 0.5,
    },
  ])('[T5] shows $what of an image', ({ what: _, run: tiles, ...area }) => {
    const shown = { width: 25, height: 30 };
    expect(sourceOf(tiles, { shown }, shown)).toEqual(area);
    const twice = sourceOf(tiles, { shown }, { width: 50, height: 60 });
    expect(twice).toMatchObject({ width: 2 * area.width, height: 2 * area.height, across: area.across });
  });

  it('[T5] [SEC23] shows nothing if there is no such part', () => {
    const image = { shown: { width: 25, height: 30 } };
    expect(sourceOf(run(0, 3, 1), image, image.shown)).toBeNull();
    expect(sourceOf(run(2, 0, 1), image, image.shown)).toBeNull();
  });
});
