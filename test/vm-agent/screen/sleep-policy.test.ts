import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflatePiece, inflateState } from '../../../vm-agent/screen/deflate.ts';
import { HostedScreen } from '../../../vm-agent/screen/hosted-screen.ts';
import {
  AWAKE_UNWATCHED_MAX,
  BEDTIME_LOOK_MS,
  SLEEP_AFTER_MS,
  SLEEP_EARLY_AFTER_MS,
  SLEEPING_MAX_BYTES,
} from '../../../vm-agent/screen/limits.ts';
import { SleepDelay } from '../../../vm-agent/screen/sleep-delay.ts';
import type { Taken } from '../../../vm-agent/screen/snapshot.ts';
import { type Session, shown, type World, witness, world } from './screens.ts';
import { expectSame, stateOf } from './terminal-state.ts';

/**
 * The maximum of sessions awake without clients, and `more`; each has printed, a millisecond after the previous one.
 */
function full(w: World, more: number): Session[] {
  return Array.from({ length: AWAKE_UNWATCHED_MAX + more }, (_, n) => {
    const session = w.session();
    session.prints(`session ${n}\r\n`);
    w.thread.run();
    w.clock.advance(1);
    return session;
  });
}

/** Long enough for every screen that may sleep early. */
function quiet({ clock, thread }: World, ms: number): void {
  for (let passed = 0; passed < ms; passed += BEDTIME_LOOK_MS) {
    clock.advance(BEDTIME_LOOK_MS);
    thread.run();
  }
}

const sleepers = (sessions: readonly Session[]) =>
  sessions.flatMap(({ screen }, n) => (screen.state === 'awake' ? [] : [n]));

describe('with too many screens awake and no client attached, the policy', () => {
  it('[R7] puts the longest quiet ones to sleep, and no more than the excess', () => {
    const w = world();
    const sessions = full(w, 3);
    quiet(w, SLEEP_EARLY_AFTER_MS + BEDTIME_LOOK_MS);
    expect(sleepers(sessions)).toEqual([0, 1, 2]);
    expect(w.thread.terminals).toBe(AWAKE_UNWATCHED_MAX);
  });

  it('[R7] puts none to sleep before it has been quiet for a while', () => {
    const w = world();
    const sessions = full(w, 3);
    w.clock.advance(SLEEP_EARLY_AFTER_MS - 100);
    for (const session of sessions.slice(0, 20)) session.prints('not done');
    w.thread.run();
    quiet(w, BEDTIME_LOOK_MS);
    expect(sleepers(sessions)).toEqual([20, 21, 22]);
  });

  it('[R7] puts one to sleep after the other, so that a snapshot waits for only one of them', () => {
    const w = world();
    const sessions = full(w, 3);
    w.clock.advance(SLEEP_EARLY_AFTER_MS + BEDTIME_LOOK_MS);
    w.session();
    expect(sleepers(sessions)).toEqual([0]);
    w.thread.run();
    expect(sleepers(sessions)).toEqual([0, 1, 2, 3]);
  });

  it('[R7] neither counts screens with clients nor puts them to sleep', () => {
    const w = world();
    const sessions = full(w, 3);
    for (const { screen } of sessions.slice(0, 3)) screen.watched = true;
    quiet(w, 2 * SLEEP_EARLY_AFTER_MS);
    expect(sleepers(sessions)).toEqual([]);
    const [left] = sessions;
    if (left !== undefined) left.screen.watched = false;
    w.thread.run();
    expect(sleepers(sessions)).toEqual([3]);
  });

  it('[R7] skips screens that have work to do', () => {
    const w = world();
    const sessions = full(w, 1);
    for (const session of sessions) session.prints('in the queue');
    w.clock.advance(2 * SLEEP_EARLY_AFTER_MS);
    expect(sleepers(sessions)).toEqual([]);
  });

  it('[R7] continues with the next if the one falling asleep is closed', () => {
    const w = world();
    const sessions = full(w, 2);
    w.clock.advance(SLEEP_EARLY_AFTER_MS + BEDTIME_LOOK_MS);
    sessions[0]?.screen.close();
    w.thread.run();
    expect(sessions[1]?.screen.state).toBe('asleep');
    expect(sleepers(sessions)).toEqual([0, 1]);
  });

  it('[R1] wakes the same screen for output, and puts another to sleep instead', async () => {
    const w = world();
    const sessions = full(w, 1);
    quiet(w, SLEEP_EARLY_AFTER_MS + BEDTIME_LOOK_MS);
    const [early] = sessions;
    if (early === undefined) throw new Error('invariant: there are sessions');
    early.prints('\x1b[31mred');
    w.thread.run();
    expect(sleepers(sessions)).toEqual([1]);
    const asked = early.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expect(stateOf(shown(await asked))).toEqual(stateOf(witness(early)));
  });

  it('[R7] is stable: screens that all print now and then stay awake in the end', () => {
    const w = world();
    const sessions = full(w, 20);
    const wakings = () => {
      let count = 0;
      for (let n = 0; n < 10; n++) {
        quiet(w, 5000);
        for (const session of sessions) {
          if (session.screen.state === 'asleep') count++;
          session.prints('.');
          w.thread.run();
        }
      }
      return count;
    };
    expect(wakings()).toBeGreaterThan(0);
    expect(wakings()).toBe(0);
  });

  it('[R7] leaves no timer behind when everything is closed', async () => {
    const w = world();
    full(w, 1);
    quiet(w, BEDTIME_LOOK_MS);
    await w.pool.close();
    expect(w.clock.pending).toBe(0);
  });
});

describe('a screen whose state is too large to sleep', () => {
  const uri = `http://${'a'.repeat(2000)}/`;
  /** Every other cell of a row is linked: little to print, much to serialise. */
  const row = `\x1b]8;;${uri}\x1b\\x\x1b[39b\x1b]8;;\x1b\\\r${'y\x1b[C'.repeat(19)}\r\n`;
  const rows = 1.1 * (SLEEPING_MAX_BYTES / (20 * uri.length));

  function tooLong(w: World): Session {
    const session = w.session();
    session.prints(row.repeat(rows));
    w.thread.run();
    return session;
  }

  async function textOf({ screen }: Session, { thread }: World): Promise<Taken> {
    const asked = screen.snapshot({ format: 'text', scope: 'all' });
    thread.run();
    return asked;
  }

  it('[R7] stays awake, and is not tried again before it has printed', async () => {
    const w = world();
    const session = tooLong(w);
    w.clock.advance(SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('dozing');
    w.thread.run();
    expect(session.screen.state).toBe('awake');
    const { slices } = w.thread;
    w.clock.advance(10 * SLEEP_AFTER_MS);
    w.thread.run();
    expect(w.thread.slices).toBe(slices);
    session.prints('\x1b[H\x1b[2J\x1b[3Jshort');
    w.thread.run();
    w.clock.advance(SLEEP_AFTER_MS);
    w.thread.run();
    expect(session.screen.state).toBe('asleep');
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    expect(stateOf(shown(await asked))).toEqual(stateOf(witness(session)));
  });

  it('[R1] [R7] continues with the output that arrived meanwhile, and answers pending requests', async () => {
    const w = world();
    const session = tooLong(w);
    w.clock.advance(SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('dozing');
    session.prints('printed meanwhile');
    const asked = session.snapshot({ format: 'text', scope: 'screen' });
    w.thread.run();
    const text = new TextDecoder().decode(inflateState((await asked)?.deflated ?? new Uint8Array(0)));
    expect(text).toContain('printed meanwhile');
    expect(session.screen.feed.queue.bytes).toBe(0);
    expect(await textOf(session, w)).toMatchObject({ offset: session.offset });
  });

  it('[R7] lets others sleep instead', () => {
    const w = world();
    const long = tooLong(w);
    const sessions = full(w, 2);
    quiet(w, 5 * SLEEP_EARLY_AFTER_MS);
    expect(long.screen.state).toBe('awake');
    expect(sleepers(sessions)).toEqual([0, 1, 2]);
  });
});

describe('a screen that wakes up', () => {
  const open = { type: 'open', screen: 1, size: { cols: 40, rows: 8 }, scrollbackLines: 5000 } as const;
  const rest = { theme: {}, offset: 0, cwd: null } as const;

  it('[R7] inflates one chunk after the other', () => {
    const good = deflateRawSync('first', { finishFlush: constants.Z_SYNC_FLUSH });
    const bad = Uint8Array.of(0x07); // a block of no known kind
    const from = { deflated: Buffer.concat([good, bad]), pieceBytes: [good.length, bad.length] };
    const screen = new HostedScreen({ ...open, ...rest, from });
    const once = () => screen.parse(() => true);
    once(); // inflates
    once(); // parses
    expect(once).toThrow();
  });

  it('[R7] inflates no chunk beyond the limit for sleeping screens', () => {
    const piece = (bytes: number) => deflateRawSync(Buffer.alloc(bytes));
    expect(inflatePiece(piece(SLEEPING_MAX_BYTES))).toHaveLength(SLEEPING_MAX_BYTES);
    expect(() => inflatePiece(piece(SLEEPING_MAX_BYTES + 1))).toThrow();
  });

  it('[R1] is the same from many chunks', async () => {
    const w = world();
    const session = w.session();
    for (let n = 0; n < 20_000; n++) session.prints(`\x1b[38;5;${n % 256}m${n} — 界 `);
    w.thread.run();
    w.clock.advance(SLEEP_AFTER_MS);
    w.thread.run();
    expect(session.screen.state).toBe('asleep');
    session.prints('awake');
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expectSame(shown(await asked), witness(session));
  });
});

describe('the quiet time before sleep', () => {
  it('[R7] is twice the time that proved too short, up to a minute', () => {
    const patience = new SleepDelay();
    const learnt = [3000, 1000, 7000, 50_000].map((quietMs) => {
      patience.woken(quietMs);
      return patience.ms;
    });
    expect(learnt).toEqual([6000, 6000, 14_000, SLEEP_AFTER_MS]);
  });

  it('[R7] is reset after a whole minute of quiet', () => {
    const patience = new SleepDelay();
    patience.woken(10_000);
    patience.woken(SLEEP_AFTER_MS);
    expect(patience.ms).toBe(SLEEP_EARLY_AFTER_MS);
  });
});
