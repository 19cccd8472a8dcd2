/** Screens that share threads: full queues, sleep, and a thread that dies. */
import { describe, expect, it } from 'vitest';
import {
  DRAINED_MAX_BYTES,
  POOL_QUEUE_MAX_BYTES,
  SCREEN_QUEUE_MAX_BYTES,
  SLEEP_AFTER_MS,
  SLOW_QUEUE_MIN_BYTES,
  STALL_LOOK_MS,
  STALL_LOOKS,
  START_LOOKS,
} from '../../../vm-agent/screen/limits.ts';
import { type Session, shown, textOf, type World, witness, world } from './screens.ts';
import { stateOf } from './terminal-state.ts';

/** More than is parsed in a moment. */
const FLOOD_BYTES = 4 * DRAINED_MAX_BYTES;

function fallAsleep(session: Session, { clock, thread }: World): void {
  thread.run();
  clock.advance(SLEEP_AFTER_MS);
  thread.run();
  expect(session.screen.state).toBe('asleep');
}

describe('a full queue', () => {
  it('[R7] is reported at its limit, and not again before it is half empty', () => {
    const w = world();
    const session = w.session();
    const chunk = new Uint8Array(256 * 1024).fill(0x61);
    while (!session.screen.feed.isFull) session.prints(chunk);
    expect(session.screen.feed.queue.bytes).toBe(SCREEN_QUEUE_MAX_BYTES);
    expect(session.log).toEqual(['full']);
    while (session.screen.feed.queue.bytes > SCREEN_QUEUE_MAX_BYTES / 2) {
      expect(session.log).toEqual(['full']);
      w.thread.turn();
    }
    expect(session.log).toEqual(['full', 'no longer full']);
  });

  it.each([
    { what: 'costly', tickMs: 100, log: ['full'] },
    { what: 'ordinary', tickMs: 0.01, log: [] },
  ])('[R7] is at its limit after two seconds of $what output', ({ tickMs, log }) => {
    const w = world(tickMs);
    const session = w.session();
    const chunk = new Uint8Array(SLOW_QUEUE_MIN_BYTES).fill(0x61);
    session.prints(chunk);
    w.thread.turn();
    session.prints(chunk);
    expect(session.log).toEqual(log);
    w.thread.run();
    expect(session.screen.feed.isFull).toBe(false);
  });

  it('[F27] is drained while its program goes on, for another process that takes over', async () => {
    const w = world();
    const session = w.session();
    const read = new Uint8Array(64 * 1024).fill(0x61);
    while (session.screen.feed.queue.bytes < FLOOD_BYTES) session.prints(read);
    let isDrained = false;
    void session.screen.drain().then(() => {
      isDrained = true;
    });
    let waited = 0;
    let longestWait = 0;
    while (session.screen.feed.queue.bytes > DRAINED_MAX_BYTES) {
      expect(isDrained).toBe(false);
      const before = session.screen.feed.queue.bytes;
      w.thread.turn();
      waited = session.screen.feed.isFull ? waited + before - session.screen.feed.queue.bytes : 0;
      longestWait = Math.max(longestWait, waited);
      while (!session.screen.feed.isFull && session.screen.feed.queue.bytes > DRAINED_MAX_BYTES)
        session.prints(read);
      await Promise.resolve();
    }
    expect(isDrained).toBe(true);
    // It printed about half as much again, and never waited for long.
    expect(session.offset).toBeGreaterThan(FLOOD_BYTES * 1.4);
    expect(longestWait).toBeLessThan(FLOOD_BYTES / 2);
    // It stays so.
    while (!session.screen.feed.isFull) session.prints(read);
    expect(session.screen.feed.queue.bytes).toBeLessThan(FLOOD_BYTES / 2);
  });

  it('[F27] is drained at once if there is little in it, or if its screen is closed', async () => {
    const w = world();
    const session = w.session();
    session.prints('a prompt');
    await session.screen.drain();
    session.prints(new Uint8Array(FLOOD_BYTES));
    const drained = session.screen.drain();
    session.screen.close();
    await drained;
  });

  it('[F27] that is drained does not wait for the queues of others', () => {
    const w = world();
    const session = w.session();
    session.prints(new Uint8Array(FLOOD_BYTES).fill(0x61));
    for (let others = 0; others < 3; others++) w.session().prints(new Uint8Array(POOL_QUEUE_MAX_BYTES / 3));
    expect(session.log).toEqual(['full']);
    void session.screen.drain();
    for (let turns = 0; turns < 8; turns++) w.thread.turn();
    expect(w.pool.queuedBytes).toBeGreaterThan(POOL_QUEUE_MAX_BYTES / 2);
    expect(session.log).toEqual(['full', 'no longer full']);
  });

  it('[R7] fills the pool together with others, and only those that hold much are paused', () => {
    const w = world();
    const quiet = w.session();
    quiet.prints('a prompt');
    const floods = Array.from({ length: 9 }, () => w.session());
    const chunk = new Uint8Array(SCREEN_QUEUE_MAX_BYTES - 64 * 1024).fill(0x61);
    for (const flood of floods) flood.prints(chunk);
    expect(w.pool.queuedBytes).toBeGreaterThan(POOL_QUEUE_MAX_BYTES);
    expect(floods.every(({ screen }) => screen.feed.isFull)).toBe(true);
    expect(quiet.log).toEqual([]);
    for (const { screen } of floods) screen.close();
    expect(w.pool.queuedBytes).toBe('a prompt'.length);
  });
});

describe('a sleeping screen', () => {
  it('[R1] frees its terminal after a minute, and wakes up the same for output', async () => {
    const w = world();
    const session = w.session();
    session.prints(
      '\x1b]2;t\x07\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\\x1b[?25l\x1b[4:3mcurly \x1b[3;6r\x1b[5;5H—\x1b[3',
    );
    fallAsleep(session, w);
    expect(w.thread.terminals).toBe(0);
    session.prints('1mred');
    expect(session.screen.state).toBe('awake');
    w.thread.run();
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expect(stateOf(shown(await asked))).toEqual(stateOf(witness(session)));
    expect(session.log).toEqual(['title t']);
  });

  it('[R1] serves the usual snapshots without waking', async () => {
    const w = world();
    const session = w.session();
    for (let n = 0; n < 300; n++) session.prints(`line ${n}\r\n`);
    fallAsleep(session, w);
    const all = await session.snapshot({ format: 'ansi', scope: 'all' });
    const recent = await session.snapshot({ format: 'ansi', scope: 'recent' });
    expect(session.screen.state).toBe('asleep');
    expect(stateOf(shown(all))).toEqual(stateOf(witness(session)));
    expect(recent?.bytes).toBeLessThan(all?.bytes ?? 0);
    expect([all?.linesAbove, (recent?.linesAbove ?? 0) > 0]).toEqual([0, true]);
    expect(await textOf(session, w)).toContain('line 0\nline 1\n');
    expect(session.screen.state).toBe('awake');
  });

  it('[R1] is not affected by output that arrives while it falls asleep', async () => {
    const w = world();
    const session = w.session();
    session.prints('before ');
    w.thread.run();
    w.clock.advance(SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('dozing');
    session.prints('after');
    w.thread.run();
    expect(session.screen.state).toBe('awake');
    expect(await textOf(session, w)).toBe('before after\n');
  });

  it('[R1] must have no client, and a minute without activity', () => {
    const w = world();
    const session = w.session();
    session.screen.watched = true;
    w.thread.run();
    w.clock.advance(10 * SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('awake');
    session.screen.watched = false;
    w.clock.advance(SLEEP_AFTER_MS - 1);
    expect(session.screen.state).toBe('awake');
    w.clock.advance(1000);
    expect(session.screen.state).toBe('dozing');
  });

  it('[R1] keeps half a character', async () => {
    const w = world();
    const session = w.session();
    session.prints(Uint8Array.of(0x61, 0xe7));
    fallAsleep(session, w);
    session.prints(Uint8Array.of(0x95, 0x8c));
    expect(await textOf(session, w)).toBe('a界\n');
  });
});

describe('a thread that dies', () => {
  it('[R1] is replaced, and its screens are rebuilt from history and queue', async () => {
    const w = world();
    const session = w.session({ history: (before) => witnessBytes(session).subarray(0, before) });
    session.prints('\x1b[1mparsed\x1b[5n ');
    w.thread.run();
    session.prints('in the queue');
    w.thread.dies();
    expect(w.threads).toHaveLength(2);
    expect(w.lost).toEqual(['died by hand']);
    expect(await textOf(session, w)).toBe('parsed in the queue\n');
    expect(session.log).toEqual(['answer "\\u001b[0n"', 'rebuilt']);
  });

  it('[R1] loses only what it was parsing for the screen that killed it', async () => {
    const w = world();
    const guilty = w.session();
    const other = w.session({ history: () => new Uint8Array(0) });
    guilty.prints('poison');
    other.prints('fine');
    const asked = guilty.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.dies(guilty.screen.id);
    expect(await asked).toBeUndefined();
    guilty.prints('again');
    expect(await textOf(guilty, w)).toBe('again\n');
    expect(await textOf(other, w)).toBe('fine\n');
  });

  it('[R1] does not affect a screen that sleeps', async () => {
    const w = world();
    const session = w.session();
    session.prints('dreaming');
    fallAsleep(session, w);
    w.thread.dies();
    expect(await textOf(session, w)).toBe('dreaming\n');
    expect(session.log).toEqual([]);
  });

  it('[R7] is considered dead after ten checks without progress, not after one', () => {
    const w = world();
    const session = w.session();
    session.prints('work');
    w.thread.run();
    session.prints('more work');
    const [first] = w.threads;
    w.clock.advance(STALL_LOOK_MS * (STALL_LOOKS - 1));
    expect(first?.isStopped).toBe(false);
    w.clock.advance(STALL_LOOK_MS * 2);
    expect(first?.isStopped).toBe(true);
    expect(w.lost).toEqual(['no progress']);
  });

  it('[R7] gets more time to start, because replacing it would begin all over again', () => {
    const w = world();
    w.session().prints('work');
    const [first] = w.threads;
    w.clock.advance(STALL_LOOK_MS * (START_LOOKS - 1));
    expect(first?.isStopped).toBe(false);
    w.clock.advance(STALL_LOOK_MS * 2);
    expect(first?.isStopped).toBe(true);
  });

  it('[R7] leaves no timer behind when everything is closed', async () => {
    const w = world();
    const session = w.session();
    session.prints('x');
    w.thread.run();
    await w.pool.close();
    w.clock.advance(STALL_LOOK_MS);
    expect(w.clock.pending).toBe(0);
  });
});

function witnessBytes({ printed }: Session): Uint8Array {
  return new Uint8Array(Buffer.concat(printed));
}
