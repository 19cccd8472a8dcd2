/** Images that are too large, broken or never end: nothing is shown of them, and little is kept. */
import { describe, expect, it } from 'vitest';
import {
  IMAGE_ARGUMENTS_MAX_CHARS,
  IMAGE_MAX_CHARS,
  IMAGE_MAX_PIXELS,
  IMAGE_MAX_SIDE_PX,
  IMAGES_KEPT,
} from '../../../../protocol/limits.ts';
import type { Emulator } from '../../../../vm-agent/screen/emulator.ts';
import { IMAGE_PENDING_MAX_BYTES } from '../../../../vm-agent/screen/limits.ts';
import { pngHeader } from '../../../support/png.ts';
import { ansi, bytesOf, expectSame, restored, terminal } from '../terminal-state.ts';

const SIZE = { cols: 80, rows: 24 };
const NOTHING = new Uint8Array(0);
const STEP = 4096;
const sixel = (data: string) => `\x1bPq${data}\x1b\\`;
const file = (data: string, how = 'inline=1') => `\x1b]1337;File=${how}:${data}\x07`;
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64');

function printed(output: string): Emulator {
  const emulator = terminal(SIZE, 50);
  const bytes = bytesOf(output);
  for (let at = 0; at < bytes.length; at += STEP) emulator.write(bytes.subarray(at, at + STEP));
  return emulator;
}

describe('an image within its limits', () => {
  const side = IMAGE_MAX_SIDE_PX;
  const area = IMAGE_MAX_PIXELS / side;
  const long = IMAGE_MAX_CHARS;
  it.each([
    { what: 'its width', at: sixel(`"1;1;${side};1`), beyond: sixel(`"1;1;${side + 1};1`) },
    { what: 'its height', at: sixel(`"1;1;1;${side}`), beyond: sixel(`"1;1;1;${side + 1}`) },
    { what: 'its area', at: sixel(`"1;1;${side};${area}`), beyond: sixel(`"1;1;${side};${area + 1}`) },
    { what: 'the width that it paints', at: sixel(`!${side}~`), beyond: sixel(`!${side + 1}~`) },
    { what: 'the area of a file', at: file(pngHeader(area, side)), beyond: file(pngHeader(area + 1, side)) },
    {
      what: 'its length',
      at: sixel('"1;1;9;9'.padEnd(long, '~')),
      beyond: sixel('"1;1;9;9'.padEnd(long + 1, '~')),
    },
    {
      what: 'the length of a file',
      at: file(pngHeader(9, 9).padEnd(long, 'A')),
      beyond: file(pngHeader(9, 9).padEnd(long + 1, 'A')),
    },
    {
      what: 'its arguments',
      at: file(pngHeader(9, 9), 'inline=1;name='.padEnd(IMAGE_ARGUMENTS_MAX_CHARS - 'File='.length, 'A')),
      beyond: file(
        pngHeader(9, 9),
        'inline=1;name='.padEnd(IMAGE_ARGUMENTS_MAX_CHARS - 'File='.length + 1, 'A'),
      ),
    },
  ])('[T5] [OU22] [SEC23] is shown, and one beyond the limit of $what is not', ({ at, beyond }) => {
    expect(printed(at).images.images.size).toBe(1);
    const refused = printed(`before${beyond}after`);
    expect(refused.images.images.size).toBe(0);
    expectSame(refused, printed('beforeafter'));
  });
});

describe('an image that is not shown', () => {
  it.each([
    { what: 'a million sixels in ten bytes', output: sixel('!99999999~') },
    { what: 'more bands than any image has', output: sixel('~-'.repeat(IMAGE_MAX_SIDE_PX)) },
    { what: 'a declared size of ten digits', output: sixel('"1;1;9999999999;9999999999~') },
    { what: 'a PNG of 60 000 × 60 000', output: file(pngHeader(60_000, 60_000)) },
    { what: 'a PNG of no width', output: file(pngHeader(0, 9)) },
    { what: 'an SVG', output: file(svg) },
    { what: 'broken base64', output: file('!!! not base64 ???') },
    { what: 'half a header', output: file(pngHeader(9, 9).slice(0, 20)) },
    { what: 'no data', output: file('') },
    { what: 'no sixels', output: sixel('') },
    { what: 'a download', output: file(pngHeader(9, 9), 'inline=0') },
    { what: 'a download with a path', output: file(pngHeader(9, 9), 'name=L2V0Yy9wYXNzd2Q=') },
    { what: 'a cancelled one', output: '\x1bPq"1;1;9;9~\x18' },
    { what: 'another iTerm sequence', output: '\x1b]1337;SetMark\x07' },
    { what: 'tiles without a number', output: '\x1b]1337;HoldfastTiles=;0;0;5\x07' },
    { what: 'tiles in a column that does not exist', output: '\x1b]1337;HoldfastTiles=1;0;0;5;80\x07' },
    { what: 'tiles of a huge number', output: '\x1b]1337;HoldfastTiles=9999999999;0;0;5\x07' },
    { what: 'a definition that is too large', output: '\x1b]1337;HoldfastImage=1;sixel;9999;9999;9;9:~\x07' },
    { what: 'a definition of another kind', output: '\x1b]1337;HoldfastImage=1;svg;9;9;9;9:~\x07' },
  ])('[T5] [SEC23] changes nothing: $what', ({ output }) => {
    const emulator = printed(`before${output}\rafter!`);
    expect(emulator.images.images.size).toBe(0);
    expectSame(emulator, printed('before\rafter!'));
    expect(emulator.faults).toBe(0);
  });
});

describe('an image that never ends', () => {
  it.each([
    { what: 'a sixel image', opens: '\x1bPq', part: '~' },
    { what: 'a file', opens: '\x1b]1337;File=inline=1:', part: 'A' },
    { what: 'a file of arguments', opens: '\x1b]1337;File=inline=1', part: ';x=1' },
    { what: 'a sixel image of bytes that are skipped', opens: '\x1bPq', part: '\x7f' },
  ])('[T5] [SEC23] is kept up to a limit, and then ignored until it ends: $what', ({ opens, part }) => {
    const emulator = printed(opens);
    const payload = bytesOf(part.repeat(Math.ceil((64 * STEP) / part.length)));
    let most = 0;
    for (let length = 0; length < IMAGE_PENDING_MAX_BYTES + IMAGE_MAX_CHARS; length += payload.length) {
      emulator.write(payload);
      most = Math.max(most, emulator.pendingBytes.length);
    }
    expect(most).toBeLessThanOrEqual(IMAGE_PENDING_MAX_BYTES);
    expect(emulator.pendingBytes.length).toBeLessThan(8);
    const copy = restored(emulator, NOTHING);
    for (const each of [emulator, copy]) each.write(bytesOf('\x1b\\after'));
    expectSame(copy, emulator);
    expect(emulator.images.images.size).toBe(0);
  });
});

describe('a flood of images', () => {
  it('[T5] [SEC23] leaves the newest, and cells without an image where the others were', () => {
    const emulator = printed('\x1bPq"1;1;10;10~-\x1b\\'.repeat(IMAGES_KEPT + 9));
    expect(emulator.images.images.size).toBe(IMAGES_KEPT);
    const copy = restored(emulator, NOTHING, 50);
    expectSame(copy, emulator);
    // After a restart, new images do not take the numbers that old cells have.
    const newest = (each: Emulator) => Math.max(...each.images.images.keys());
    for (const each of [emulator, copy]) each.write(bytesOf(sixel('~~')));
    expect(newest(copy)).toBe(newest(emulator));
    expect(ansi(copy)).toEqual(ansi(emulator));
  });

  it('[T5] does not show a new image in the cells of a forgotten one', () => {
    const emulator = printed(`\x1b]1337;HoldfastTiles=5;0;0;3\x07\r\n${sixel('~~')}`);
    expect([...emulator.images.images.keys()]).toEqual([6]);
  });

  it('[T5] [SEC23] is forgotten by a reset', () => {
    expect(printed(`${sixel('~~').repeat(5)}\x1bc`).images.images.size).toBe(0);
  });
});
