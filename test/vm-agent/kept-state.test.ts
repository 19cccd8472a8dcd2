/** Which sessions of an earlier life an agent continues, and what they show. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../node/system-clock.ts';
import { drawOldScreen } from '../../vm-agent/disk/disk-storage.ts';
import type { SessionMetadata } from '../../vm-agent/disk/metadata.ts';
import type { SessionStorage } from '../../vm-agent/disk/session-storage.ts';
import { JOURNAL_FULL_BYTES } from '../../vm-agent/disk/snapshot-schedule.ts';
import { type KeptState, openState, reviveSession } from '../../vm-agent/kept-state.ts';
import { ScreenPool } from '../../vm-agent/screen/pool.ts';
import type { Taken } from '../../vm-agent/screen/snapshot.ts';
import type { SessionManager } from '../../vm-agent/session/session-manager.ts';
import type { SessionRequest } from '../../vm-agent/session/session-request.ts';
import { readConfig } from '../../vm-agent/settings/config.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { OpenStore, someMetadata, temporaryDirectory } from './disk/some-session.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let screens: ScreenPool;
beforeEach(() => {
  directory = temporaryDirectory();
  screens = new ScreenPool({ clock: systemClock });
});
afterEach(async () => {
  await screens.close();
  directory.remove();
});

function open(): Promise<KeptState> {
  const environment = {
    HOLDFAST_RELAY: 'https://relay.example',
    HOLDFAST_WORKSPACE: 'w',
    HOLDFAST_TOKEN_FILE: '/token',
    PTY_STATE_DIR: directory.path,
  };
  return openState(readConfig([], environment), screens);
}

it('[R9] [AG8] sessions whose program runs and whose close is not due are restored', async () => {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const earlier = await OpenStore.at(directory.path);
  earlier.session('plain');
  earlier.session('ended', { exit: { code: 0, signal: null } });
  earlier.session('overdue', { closeAt: inMs(-1) });
  earlier.session('due', { closeAt: inMs(3_600_000) });
  earlier.session('spared', { closeAt: null });
  await earlier.store.close();

  const state = await open();
  expect(state.revivals.map(({ old }) => old.id).sort()).toEqual(['due', 'plain', 'spared']);
  await state.close();
  const next = await OpenStore.at(directory.path);
  expect(next.recovered.map(({ id }) => id).sort()).toEqual(['due', 'plain', 'spared']);
  await next.store.close();
});

const SIZE = { cols: 60, rows: 10 };

/** One life of an agent with one session: its initial state, and the program's output. */
class Life {
  readonly state: KeptState;
  readonly #storage: SessionStorage;
  /** How often its screen was requested. */
  asked = 0;
  #offset: number;

  private constructor(state: KeptState, cwd: () => string | null, taken: Taken) {
    this.state = state;
    this.#offset = this.screen.length;
    this.#storage = state.keep({
      handle: 1,
      id: 's1',
      metadata: state.revivals[0]?.old.metadata ?? someMetadata({ size: SIZE }),
      from: this.#offset,
      snapshot: async () => {
        this.asked++;
        return taken;
      },
      drain: async () => {},
      cwd,
      commands: { version: 0, nextNumber: 1, stored: () => [] },
    });
  }

  /** `taken` is the result of requesting a snapshot of its screen. */
  static async begin(cwd: () => string | null = () => null, taken: Taken = undefined): Promise<Life> {
    return new Life(await open(), cwd, taken);
  }

  get screen(): Uint8Array {
    return this.state.revivals[0]?.screen ?? new Uint8Array(0);
  }

  get metadata(): SessionMetadata | undefined {
    return this.state.revivals[0]?.old.metadata;
  }

  prints(text: string): void {
    const bytes = Buffer.from(text);
    this.#storage.append(this.#offset, bytes);
    this.#offset += bytes.length;
  }

  /** What a client sees that attaches right after the restart. */
  async shows(): Promise<string[]> {
    const terminal = new TerminalScreen(SIZE);
    await new Promise<void>((shown) => terminal.write(Uint8Array.from(this.screen), shown));
    return terminal.text.split('\n').map((line) => line.trimEnd());
  }

  end(): Promise<void> {
    return this.state.close();
  }
}

const DIVIDER = expect.stringMatching(/^── restored .* new shell below ─*$/);

describe('a second restart', () => {
  it('[D3] shows both lives, each below its divider', async () => {
    const first = await Life.begin();
    first.prints('$ life-1\r\n$ ');
    await first.end();
    const second = await Life.begin();
    second.prints('$ echo life-2\r\nlife-2\r\n$ ');
    await second.end();
    const third = await Life.begin();
    expect(await third.shows()).toEqual(['$ life-1', '$', DIVIDER, '$ echo life-2', 'life-2', '$', DIVIDER]);
    await third.end();
  });

  it('[D3] keeps what the first restored shell printed after a full-screen program', async () => {
    const first = await Life.begin();
    first.prints('$ vim\r\n\x1b[?1049h\x1b[2;4r\x1b[2J\x1b[5;5Htext');
    await first.end();
    const second = await Life.begin();
    second.prints('$ echo life-2\r\nlife-2\r\n$ ');
    await second.end();
    const third = await Life.begin();
    expect(await third.shows()).toEqual(['$ vim', DIVIDER, '$ echo life-2', 'life-2', '$', DIVIDER]);
    await third.end();
  });

  it('[D3] keeps the rows below the cursor', async () => {
    const first = await Life.begin();
    first.prints('one\r\ntwo\r\nthree\x1b[H');
    await first.end();
    const second = await Life.begin();
    expect(await second.shows()).toEqual(['one', 'two', 'three', DIVIDER]);
    await second.end();
  });
});

describe('a screen that is too large', () => {
  it('[R9] does not replace the screen on disk', async () => {
    const first = await Life.begin(undefined, 'too large');
    first.prints('$ before\r\n');
    first.prints(`${'\r\x1b[K'.repeat(JOURNAL_FULL_BYTES / 4)}$ after\r\n`);
    await expect.poll(() => first.asked).toBeGreaterThan(0);
    await first.end();
    const second = await Life.begin();
    expect(await second.shows()).toEqual(['$ before', '$ after', DIVIDER]);
    expect(second.state.revivals[0]?.old).toMatchObject({ snapshot: null, lostBytes: 0 });
    await second.end();
  });

  it('[R9] is restored as text if it was saved before', async () => {
    const first = await Life.begin();
    first.prints('\x1b[31m$ one\r\n$ two\r\n');
    await first.end();
    const open = screens.open.bind(screens);
    screens.open = (size, options) => {
      const screen = open(size, options);
      const snapshot = screen.snapshot.bind(screen);
      screen.snapshot = async (request) => (request.format === 'ansi' ? 'too large' : snapshot(request));
      return screen;
    };
    const second = await Life.begin();
    expect(await second.shows()).toEqual(['$ one', '$ two', DIVIDER]);
    await second.end();
  });
});

describe('the directory of a session', () => {
  /** What the manager is asked to start. */
  function revived({ state }: Life): SessionRequest | undefined {
    const asked: SessionRequest[] = [];
    const revive = (_: string, request: SessionRequest) => void asked.push(request);
    for (const { old, screen } of state.revivals)
      reviveSession({ revive } as unknown as SessionManager, old, screen);
    return asked[0];
  }

  it('[U1] [U10] is where the shell was when the agent ended', async () => {
    const place = join(directory.path, 'place');
    mkdirSync(place);
    const first = await Life.begin(() => place);
    first.prints('$ ');
    await first.end();
    const second = await Life.begin();
    expect(revived(second)?.cwd).toBe(place);
    await second.end();
  });

  it('[U10] is the home directory if it no longer exists', async () => {
    const place = join(directory.path, 'place');
    mkdirSync(place);
    const first = await Life.begin(() => place);
    await first.end();
    rmSync(place, { recursive: true });
    const second = await Life.begin();
    expect(second.metadata?.cwd).toBe(place);
    expect(revived(second)?.cwd).toBeUndefined();
    await second.end();
  });
});

describe('an old screen that is too large to be kept', () => {
  async function drawn(maxBytes: number) {
    const earlier = await OpenStore.at(directory.path);
    const session = earlier.session('s1', { size: SIZE });
    session.prints(Array.from({ length: 400 }, (_, at) => `line ${at}\r\n`).join(''));
    await earlier.store.close();
    const next = await OpenStore.at(directory.path);
    const [old] = next.recovered;
    if (old === undefined) throw new Error('invariant: a session was kept');
    const limits = { scrollbackLines: 1000, maxBytes, withinMs: 60_000, clock: systemClock };
    const revival = await drawOldScreen(screens, old, limits);
    await next.store.close();
    return Buffer.from(revival.screen).toString();
  }

  it('[R9] is restored with as much of its history as fits', async () => {
    expect(await drawn(1024 * 1024)).toMatch(/line 0\b.*line 399/s);
  });

  it('[R9] is restored without its oldest lines', async () => {
    const screen = await drawn(4_000);
    expect(screen).not.toMatch(/line 0\b/);
    expect(screen).toMatch(/line 300\b.*line 399/s);
  });

  it('[R9] is restored as text if not even the screen fits', async () => {
    expect(await drawn(10)).toMatch(/^line \d+\r\n.*line 399/s);
  });
});

describe('old output that takes long to parse', () => {
  /** Half a minute or more at this size. */
  const SLOW = '\x1bc'.repeat(128 * 1024);
  const WIDE = { cols: 200, rows: 50 };

  async function keep(shown: string): Promise<void> {
    const earlier = await OpenStore.at(directory.path);
    const session = earlier.session('s1', { size: WIDE });
    if (shown !== '') {
      session.prints(shown);
      await session.draws();
      session.stored.resized(shown.length, WIDE);
    }
    session.prints(SLOW);
    await earlier.store.close();
  }

  it('[R9] does not keep the agent from its relay: the last snapshot comes back', async () => {
    await keep('before\r\n');
    const state = await open();
    const screen = Buffer.from(state.revivals[0]?.screen ?? []).toString();
    await state.close();
    expect(screen).toMatch(/before.*restored.*about 262 kB of output lost/s);
  });

  it('[R9] is left out when there is no snapshot', async () => {
    await keep('');
    const next = await OpenStore.at(directory.path);
    const limits = { scrollbackLines: 1000, maxBytes: 1_000_000, withinMs: 300, clock: systemClock };
    const { screen, ending } = await drawOldScreen(screens, next.found('s1'), limits);
    await next.store.close();
    const divider = /restored.*about 262 kB of output lost/;
    expect(Buffer.from(screen).toString()).toMatch(divider);
    expect(Buffer.from(ending).toString()).toMatch(divider);
    expect(screen.length).toBeLessThan(1000);
  });
});
