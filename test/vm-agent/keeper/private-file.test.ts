/** The file that holds the state between two keepers. */
import {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { STATE_MAX_BYTES } from '../../../vm-agent/keeper/limits.ts';
import { openNameless, readWhole, writeWhole } from '../../../vm-agent/keeper/private-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-private-'));
const opened: number[] = [];
const keep = (fd: number) => {
  opened.push(fd);
  return fd;
};
afterEach(() => {
  for (const fd of opened.splice(0)) closeSync(fd);
});
afterAll(() => rmSync(dir, { recursive: true }));

function read(fd: number): Buffer {
  const pieces: Buffer[] = [];
  for (const piece of readWhole(fd)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

describe('a file without a name', () => {
  it('[SEC12] [K4] is in no folder, and for its user only', () => {
    const fd = keep(openNameless([dir]));
    expect(readdirSync(dir)).toEqual([]);
    const { mode, nlink } = fstatSync(fd);
    expect([mode & 0o777, nlink]).toEqual([0o600, 0]);
  });

  it('[K4] gives back what was written, also more than is read at once', () => {
    const fd = keep(openNameless());
    const megabytes = Buffer.alloc(3_000_001, 'holdfast');
    writeWhole(fd, [Buffer.from('first '), megabytes]);
    expect(read(fd).equals(Buffer.concat([Buffer.from('first '), megabytes]))).toBe(true);
    expect(read(fd).length).toBe(megabytes.length + 6);
  });

  it('[K4] is in the next folder if one takes none, and nowhere if no folder does', () => {
    keep(openNameless([join(dir, 'none'), dir]));
    expect(() => openNameless([join(dir, 'none')])).toThrow(/ENOENT/);
  });

  it.each([
    ['has a name', (path: string) => path],
    [
      'others may read',
      (path: string) => {
        chmodSync(path, 0o640);
        return null;
      },
    ],
  ])('[SEC12] [K4] is not read if it %s', (_what, prepare) => {
    const path = join(dir, 'state');
    writeFileSync(path, 'state', { mode: 0o600 });
    const named = prepare(path);
    const fd = keep(openSync(path, 'r'));
    if (named === null) unlinkSync(path);
    expect(() => read(fd)).toThrow('it is not a private file of ours');
    if (named !== null) unlinkSync(path);
  });

  it('[SEC12] [K4] is not read if it is no file, or too long', () => {
    expect(() => read(keep(openSync('/dev/null', 'r')))).toThrow('it is not a private file of ours');
    const fd = keep(openNameless());
    ftruncateSync(fd, STATE_MAX_BYTES + 1);
    expect(() => read(fd)).toThrow(`it has ${STATE_MAX_BYTES + 1} bytes`);
  });
});
