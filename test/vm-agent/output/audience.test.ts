/** Which clients stop getting live output, and that all of them are brought back. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Attachment } from '../../../vm-agent/output/attachment.ts';
import { Audience, RETURN_AFTER_MS } from '../../../vm-agent/output/audience.ts';
import { CreditWindow, WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { wideWindow } from '../../support/wide-window.ts';

/** A session whose viewers follow from its first byte; windows are by channel, as all sessions share them. */
function session(windows: Map<number, CreditWindow>, channels: readonly number[]) {
  const clock = new FakeClock();
  const told: string[] = [];
  const audience = new Audience(
    clock,
    ({ channel }) => {
      const window = windows.get(channel) ?? new CreditWindow();
      windows.set(channel, window);
      return window;
    },
    {
      output: () => {},
      lagging: ({ channel }) => told.push(`${channel} lags`),
      relieved: ({ channel }, has) => told.push(`${channel} back at ${has}`),
      unseen: () => {},
    },
    () => {},
  );
  for (const channel of channels) {
    const viewer: Attachment = { channel, role: 'operator', instance: `${channel}`, history: 'all' };
    audience.join(viewer);
    audience.follow(channel, 0, 0);
  }
  let end = 0;
  return {
    audience,
    clock,
    told,
    prints(bytes: number): void {
      audience.deliver(end, new Uint8Array(bytes));
      end += bytes;
    },
  };
}

describe('a client that does not keep up', () => {
  it('[OU10] is brought back by a timer if it had nothing to acknowledge, because the frame exceeded its window', () => {
    const { audience, clock, prints, told } = session(new Map([[1, wideWindow()]]), [1, 2]);
    expect(PAYLOAD_MAX_BYTES).toBeGreaterThan(1.25 * WINDOW_FIRST_BYTES);
    prints(PAYLOAD_MAX_BYTES);
    expect(told).toEqual(['2 lags']);
    clock.advance(RETURN_AFTER_MS);
    expect(told).toEqual(['2 lags', '2 back at 0']);
    audience.stop();
    expect(clock.pending).toBe(0);
  });

  it('[F21] [OU9] gets no more output at twice its window in flight, even if its window is the widest, while another keeps up', () => {
    const { audience, prints, told } = session(new Map([[1, wideWindow()]]), [1, 2]);
    const { limitBytes } = wideWindow();
    const frame = WINDOW_FIRST_BYTES / 4;
    let printed = 0;
    while (told.length === 0 && printed < 4 * limitBytes) {
      prints(frame);
      printed += frame;
      audience.acknowledge(2, printed);
    }
    expect(told).toEqual(['1 lags']);
    // The last frame was the first that it was not sent.
    expect(printed).toBe(2 * limitBytes + frame);
    audience.stop();
  });

  it('[OU10] is brought back once it has acknowledged everything, although another session fills its window', () => {
    const windows = new Map([[1, wideWindow()]]);
    const one = session(windows, [1, 2]);
    const other = session(windows, [2]);
    one.prints(WINDOW_FIRST_BYTES / 2);
    other.prints(2 * WINDOW_FIRST_BYTES);
    one.prints(WINDOW_FIRST_BYTES / 2);
    expect(one.told).toEqual(['2 lags']);
    one.audience.acknowledge(2, WINDOW_FIRST_BYTES / 2);
    expect(one.told).toEqual(['2 lags', `2 back at ${WINDOW_FIRST_BYTES / 2}`]);
  });
});
