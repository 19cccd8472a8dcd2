/** How often a terminal is read. A separate test file, because it replaces functions of node:fs. */
import { mkdtempSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Pty } from '../../../vm-agent/pty/pty.ts';
import { BESIDE_TYPING_MS, REST_MS, TYPING_FOR_MS } from '../../../vm-agent/pty/reading.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';

vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  return { ...real, readSync: vi.fn(real.readSync) };
});

const reads = vi.mocked(readSync);
const KEY = Uint8Array.of(107);
const opened: Pty[] = [];

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const pty of opened.splice(0)) pty.signal('SIGKILL');
});

interface Delivery {
  readonly length: number;
  readonly isAll: boolean;
}

/** Runs `script`; `delivery` resolves with how its next output is delivered, `output` with its length. */
function run(script: string) {
  let happened = (_: Delivery) => {};
  const pty = spawnPty(
    {
      command: 'sh',
      args: ['-c', `stty raw -echo; ${script}`],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
      size: { cols: 80, rows: 24 },
    },
    {
      output: ({ length }, isAll) => happened({ length, isAll }),
      exited: () => {},
    },
  );
  opened.push(pty);
  const delivery = () =>
    new Promise<Delivery>((resolve) => {
      happened = resolve;
    });
  const output = async () => (await delivery()).length;
  return { pty, output, delivery };
}

/** Prints more than any echo is, then answers each key with itself. */
const echoing = `printf '%0200d' 0; exec cat`;

it('[P27] reads a terminal again after a large read, and not after an echo', async () => {
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

it('[P27] stops reading it when time is up because somebody types into another', async () => {
  const flood = run(`while printf '%0200d' 0; do sleep 0.01; done`);
  const shell = run(echoing);
  await Promise.all([flood.output(), shell.output()]);
  // The clock advances whenever it is read: by more than a flood may use while somebody types, and less than it may
  // otherwise.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 2 * BESIDE_TYPING_MS;
    return now;
  });
  shell.pty.prefer();
  reads.mockClear();
  expect(await flood.output()).toBeGreaterThanOrEqual(200);
  expect(reads).not.toHaveBeenCalled();

  now += TYPING_FOR_MS;
  await flood.output();
  expect(reads).toHaveBeenCalled();
});

it('[P27] pauses reading a flood briefly while somebody types into another, and loses nothing', async () => {
  const flood = run(`printf ready; dd bs=1 count=1 >/dev/null 2>&1; exec cat /dev/zero`);
  const shell = run(echoing);
  await Promise.all([flood.output(), shell.output()]);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const types = async () => {
    const echoed = shell.output();
    shell.pty.prefer();
    shell.pty.write(KEY, () => {});
    await echoed;
  };
  flood.pty.write(KEY, () => {});
  do await types();
  while (vi.getTimerCount() === 0); // until it rests
  let read = 0;
  void flood.delivery().then(({ length }) => {
    read = length;
  });
  flood.pty.resume(); // as a client that follows it does with every frame
  for (let key = 0; key < 20; key++) await types();
  expect(read).toBe(0);
  const goesOn = flood.output();
  vi.advanceTimersByTime(REST_MS);
  expect(await goesOn).toBeGreaterThan(0);
});

it('[P27] [OU12] distinguishes a read that ends the output from one that more follows', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-reads-'));
  const page = `head -c 4116 /dev/zero | tr '\\0' x`;
  const key = 'dd bs=1 count=1 >/dev/null 2>&1';
  const { pty, delivery, output } = run(
    `printf ready; ${key}; ${page}; : >${dir}/one; ${key}; ${page}; ${page}; : >${dir}/two; exec cat`,
  );
  await output();
  // Nothing is read while it prints, so that everything is there when the reading starts.
  const read = async (name: string, passesMs: number) => {
    pty.pause();
    pty.write(KEY, () => {});
    await vi.waitFor(() => readFileSync(join(dir, name)), { timeout: 90_000 });
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += passesMs;
      return now;
    });
    const delivered = delivery();
    pty.resume();
    return await delivered.finally(() => clock.mockRestore());
  };
  expect(await read('one', 0)).toEqual({ length: 4116, isAll: true });
  expect(await read('two', 1)).toMatchObject({ isAll: false });
  rmSync(dir, { recursive: true });
});
