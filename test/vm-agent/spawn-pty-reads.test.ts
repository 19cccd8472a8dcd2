/** How often a terminal is read. A test file of its own, because it looks over the shoulder of node:fs. */
import { readSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import { spawnPty } from '../../vm-agent/spawn-pty.ts';

vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  return { ...real, readSync: vi.fn(real.readSync) };
});

const lengths: number[] = [];
let happened = () => {};
const pty = spawnPty(
  {
    command: 'sh',
    // What it prints first says that it is ready, what it prints second is longer than any echo.
    args: ['-c', `stty raw -echo; printf '%0200d' 0; exec cat`],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    size: { cols: 80, rows: 24 },
  },
  {
    output: (bytes) => {
      lengths.push(bytes.length);
      happened();
    },
    exited: () => {},
  },
);
afterAll(() => pty.signal('SIGKILL'));

const output = () =>
  new Promise<void>((resolve) => {
    happened = resolve;
  });

it('[P27] asks a terminal for more after much, and not after an echo', async () => {
  if (lengths.length === 0) await output();
  expect(vi.mocked(readSync).mock.calls.length, 'more than an echo came').toBeGreaterThan(0);
  vi.mocked(readSync).mockClear();

  const echoed = output();
  pty.write(Uint8Array.of(107), () => {});
  await echoed;
  expect(lengths.at(-1)).toBe(1);
  expect(readSync).not.toHaveBeenCalled();
});
