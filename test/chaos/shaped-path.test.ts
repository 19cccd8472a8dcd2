/** A slow path delays bytes and keeps their order, as TCP does. Two swapped messages are a fault that no network has. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { shapedPipe } from '../support/shaped-path.ts';

const SHAPE = { bytesPerSecond: 128_000, delayMs: 50 };
const GAPS_MS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Counts in whole milliseconds, as timers of Node do: the time and the wait each lose their fraction. */
class TimerClock extends FakeClock {
  override after(ms: number, run: () => void): () => void {
    return super.after(Math.floor(this.now()) + Math.trunc(ms) - this.now(), run);
  }
}

describe('a slow path', () => {
  it.each(GAPS_MS)('keeps the order of pieces that are %f ms apart', (gapMs) => {
    for (let long = 600; long < 800; long += 8) {
      const clock = new TimerClock();
      const [from, to] = [new PassThrough(), new PassThrough()];
      shapedPipe(from, to, SHAPE, clock);
      from.emit('data', Buffer.alloc(long, 'a'));
      clock.advance(gapMs);
      from.emit('data', Buffer.alloc(40, 'b'));
      clock.advance(1_000);
      expect(String(to.read())).toBe('a'.repeat(long) + 'b'.repeat(40));
    }
  });

  it('ends after the last piece has arrived', () => {
    const clock = new FakeClock();
    const [from, to] = [new PassThrough(), new PassThrough()];
    shapedPipe(from, to, SHAPE, clock);
    from.emit('data', Buffer.from('last'));
    from.emit('end');
    expect(to.writableEnded).toBe(false);
    clock.advance(1_000);
    expect(to.writableEnded).toBe(true);
    expect(String(to.read())).toBe('last');
  });
});
