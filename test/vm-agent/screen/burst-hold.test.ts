import { describe, expect, it } from 'vitest';
import { BurstHold } from '../../../vm-agent/screen/burst-hold.ts';
import {
  BURST_MAX_BYTES,
  BURST_MAX_MS,
  BURST_PAUSE_MS,
  SHARED_MIN_BYTES,
} from '../../../vm-agent/screen/limits.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { world } from './screens.ts';

const READ = 65_536;

function hold() {
  const clock = new FakeClock();
  const log: string[] = [];
  return { clock, log, burst: new BurstHold(clock, () => void log.push('over')) };
}

describe('a burst', () => {
  it('[P27] is held until it pauses', () => {
    const { clock, log, burst } = hold();
    burst.printed(READ, READ);
    clock.advance(BURST_PAUSE_MS - 1);
    burst.printed(100, READ + 100);
    clock.advance(BURST_PAUSE_MS - 1);
    expect(burst.isHolding).toBe(true);
    clock.advance(BURST_PAUSE_MS + 1);
    expect(burst.isHolding).toBe(false);
    expect(log).toEqual(['over']);
  });

  it('[P27] is held no longer than it takes to fill the queue', () => {
    const { clock, log, burst } = hold();
    for (let ms = 0; ms < BURST_MAX_MS; ms++) {
      burst.printed(READ, READ * (ms + 1) * 0.1);
      clock.advance(1);
    }
    clock.advance(BURST_PAUSE_MS);
    expect(log).toEqual(['over']);
  });

  it('[P27] is released when it nearly fills the queue', () => {
    const { clock, burst } = hold();
    burst.printed(READ, READ);
    burst.printed(READ, BURST_MAX_BYTES);
    expect(burst.isHolding).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('[P27] does not start with an echo, nor while older output is parsed', () => {
    const { burst } = hold();
    burst.printed(SHARED_MIN_BYTES - 1, SHARED_MIN_BYTES - 1);
    burst.printed(READ, READ + 1);
    expect(burst.isHolding).toBe(false);
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
    expect(session.screen.queuedBytes).toBe(READ);
    clock.advance(BURST_PAUSE_MS);
    thread.run();
    expect(session.screen.queuedBytes).toBe(0);
  });

  it('[P27] receives it at once if nobody is attached', () => {
    const { thread, session } = printing(false);
    thread.run();
    expect(session.screen.queuedBytes).toBe(0);
  });

  it('[P27] receives it at once if a snapshot is requested or its size changes', async () => {
    const asked = printing(true);
    const snapshot = asked.session.snapshot({ format: 'text', scope: 'screen' });
    asked.thread.run();
    expect((await snapshot)?.offset).toBe(READ);

    const resized = printing(true);
    resized.session.resizes(50, 10);
    resized.thread.run();
    expect(resized.session.screen.queuedBytes).toBe(0);
  });
});
