import { describe, expect, it } from 'vitest';
import { BurstHold } from '../../../vm-agent/screen/burst-hold.ts';
import {
  BURST_MAX_BYTES,
  BURST_MAX_MS,
  BURST_PAUSE_MS,
  HELD_ECHO_MAX_BYTES,
  SHARED_MIN_BYTES,
} from '../../../vm-agent/screen/limits.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { world } from './screens.ts';

const READ = 65_536;
const read = new Uint8Array(READ);
const text = (written: string) => new TextEncoder().encode(written);

function hold() {
  const clock = new FakeClock();
  const log: string[] = [];
  return { clock, log, burst: new BurstHold(clock, () => void log.push('over')) };
}

describe('a burst', () => {
  it('[P27] is held until it pauses', () => {
    const { clock, log, burst } = hold();
    burst.printed(read, READ);
    clock.advance(BURST_PAUSE_MS - 1);
    burst.printed(text('x'.repeat(100)), READ + 100);
    clock.advance(BURST_PAUSE_MS - 1);
    expect(burst.isHolding).toBe(true);
    clock.advance(BURST_PAUSE_MS + 1);
    expect(burst.isHolding).toBe(false);
    expect(log).toEqual(['over']);
  });

  it('[P27] is held no longer than it takes to fill the queue', () => {
    const { clock, log, burst } = hold();
    for (let ms = 0; ms < BURST_MAX_MS; ms++) {
      burst.printed(read, READ * (ms + 1) * 0.1);
      clock.advance(1);
    }
    clock.advance(BURST_PAUSE_MS);
    expect(log).toEqual(['over']);
  });

  it('[P27] is released when it nearly fills the queue', () => {
    const { clock, burst } = hold();
    burst.printed(read, READ);
    burst.printed(read, BURST_MAX_BYTES);
    expect(burst.isHolding).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('[P27] does not start with less than a full read, nor while older output is parsed', () => {
    const { burst } = hold();
    burst.printed(read.subarray(0, SHARED_MIN_BYTES - 1), SHARED_MIN_BYTES - 1);
    burst.printed(read, READ + 1);
    expect(burst.isHolding).toBe(false);
  });
});

describe('the echo of a key', () => {
  it('[P27] is held for a moment, with those that follow', () => {
    const { clock, log, burst } = hold();
    burst.printed(text('e'), 1);
    clock.advance(BURST_PAUSE_MS - 1);
    burst.printed(text('cho'), 4);
    expect(burst.isHolding).toBe(true);
    clock.advance(2 * BURST_PAUSE_MS);
    expect([burst.isHolding, log]).toEqual([false, ['over']]);
  });

  it.each([
    ['has an escape character', '\x1b[6n'],
    ['has a control in its 8-bit form', '\x9b6n'],
    ['is longer than an echo', 'x'.repeat(HELD_ECHO_MAX_BYTES + 1)],
  ])('[P27] is not held if it %s, and what was held goes with it', (_what, written) => {
    const { clock, burst } = hold();
    burst.printed(text(written), written.length);
    expect(burst.isHolding).toBe(false);
    burst.printed(text('e'), 1);
    burst.printed(text(written), 1 + written.length);
    expect([burst.isHolding, clock.pending]).toEqual([false, 0]);
  });

  it('[P27] may be the beginning of a burst, which is held whatever it contains', () => {
    const { burst } = hold();
    burst.printed(text('e'), 1);
    burst.printed(read, 1 + READ);
    burst.printed(text('\x1b[6n'), 5 + READ);
    expect(burst.isHolding).toBe(true);
  });
});

describe('a screen with attached clients', () => {
  const printing = (isWatched: boolean) => {
    const w = world();
    const session = w.session();
    w.thread.run();
    session.screen.watched = isWatched;
    session.prints('x'.repeat(READ));
    return { ...w, thread: w.thread, session };
  };

  it('[P27] receives a burst when it is over', () => {
    const { clock, thread, session } = printing(true);
    thread.run();
    expect(session.screen.feed.queue.bytes).toBe(READ);
    clock.advance(BURST_PAUSE_MS);
    thread.run();
    expect(session.screen.feed.queue.bytes).toBe(0);
  });

  it('[P27] receives it at once if nobody is attached', () => {
    const { thread, session } = printing(false);
    thread.run();
    expect(session.screen.feed.queue.bytes).toBe(0);
  });

  it('[P27] receives it at once if a snapshot is requested or its size changes', async () => {
    const asked = printing(true);
    const snapshot = asked.session.snapshot({ format: 'text', scope: 'screen' });
    asked.thread.run();
    expect((await snapshot)?.offset).toBe(READ);

    const resized = printing(true);
    resized.session.resizes(50, 10);
    resized.thread.run();
    expect(resized.session.screen.feed.queue.bytes).toBe(0);
  });

  it('[P27] does not receive it because of a snapshot that is to be stored, which has no output since', async () => {
    const { clock, thread, session } = printing(true);
    const stored = session.snapshot({ format: 'ansi', scope: 'screen', alone: true });
    thread.run();
    expect(await stored).toMatchObject({ offset: 0, replay: [] });
    expect(session.screen.feed.queue.bytes).toBe(READ);
    clock.advance(BURST_PAUSE_MS);
    const shown = session.snapshot({ format: 'ansi', scope: 'screen' });
    session.prints('later');
    thread.run();
    expect((await shown)?.end).toBe(READ + 'later'.length);
  });
});
