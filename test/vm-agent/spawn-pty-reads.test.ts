/** How often a terminal is read. A test file of its own, because it looks over the shoulder of node:fs. */
import { readSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import type { Pty } from '../../vm-agent/pty.ts';
import { BESIDE_TYPING_MS, FULL_READ_BYTES, TYPING_FOR_MS } from '../../vm-agent/reading.ts';
import { spawnPty } from '../../vm-agent/spawn-pty.ts';

vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  return { ...real, readSync: vi.fn(real.readSync) };
});

const reads = vi.mocked(readSync);
const KEY = Uint8Array.of(107);
const opened: Pty[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const pty of opened.splice(0)) pty.signal('SIGKILL');
});

/** Runs `script`; `output` resolves with the length of what it prints next. */
function run(script: string) {
  let happened = (_: number) => {};
  let hasMore = (_: boolean) => {};
  const pty = spawnPty(
    {
      command: 'sh',
      args: ['-c', `stty raw -echo; ${script}`],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
      size: { cols: 80, rows: 24 },
    },
    {
      output({ length }, isAll) {
        happened(length);
        if (length >= FULL_READ_BYTES) hasMore(!isAll);
      },
      exited: () => {},
    },
  );
  opened.push(pty);
  const output = () =>
    new Promise<number>((resolve) => {
      happened = resolve;
    });
  /** Whether the terminal had more than what was read, of a page or more, next. */
  const leavesSome = () =>
    new Promise<boolean>((resolve) => {
      hasMore = resolve;
    });
  return { pty, output, leavesSome };
}

/** Prints more than any echo is, then answers each key with itself. */
const echoing = `printf '%0200d' 0; exec cat`;

it('[P27] asks a terminal for more after much, and not after an echo', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0); // no time passes
  const { pty, output } = run(echoing);
  expect(await output()).toBe(200);
  expect(reads).toHaveBeenCalled();
  reads.mockClear();

  const echoed = output();
  pty.write(KEY, () => {});
  expect(await echoed).toBe(1);
  expect(reads).not.toHaveBeenCalled();
});

it('[P27] asks it for no more when time is up because somebody types into another', async () => {
  const flood = run(`while printf '%0200d' 0; do sleep 0.01; done`);
  const shell = run(echoing);
  await Promise.all([flood.output(), shell.output()]);
  // Time passes whenever somebody looks at the clock: more than a flood has beside one who types, less than it has otherwise.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 2 * BESIDE_TYPING_MS;
    return now;
  });
  shell.pty.write(KEY, () => {});
  reads.mockClear();
  expect(await flood.output()).toBeGreaterThanOrEqual(200);
  expect(reads).not.toHaveBeenCalled();

  now += TYPING_FOR_MS;
  await flood.output();
  expect(reads).toHaveBeenCalled();
});

it('[P27] [OU12] tells a page that ends what was printed from one that more follows', async () => {
  const page = `head -c 4116 /dev/zero | tr '\\0' x`;
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now); // no time passes: it is read until it is empty
  const { pty, leavesSome } = run(`${page}; read go; while ${page}; do :; done`);
  expect(await leavesSome()).toBe(false);
  clock.mockImplementation(() => ++now); // no time for a second read
  const flooded = leavesSome();
  pty.write(Uint8Array.of(10), () => {});
  expect(await flooded).toBe(true);
});
