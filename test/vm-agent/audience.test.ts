/** Who is told what is printed; the stories with a whole agent are in agent.test.ts. */
import { expect, it } from 'vitest';
import { Audience, RETURN_AFTER_MS } from '../../vm-agent/audience.ts';
import { ClientWindow, WINDOW_FIRST_BYTES } from '../../vm-agent/client-window.ts';
import { FakeClock } from '../support/fake-clock.ts';

const viewer = (channel: number) =>
  ({ channel, role: 'operator', instance: `i${channel}`, history: 'all' }) as const;

it('[OU10] who is let go for a frame larger than its window, and owes nothing, comes back by the clock', () => {
  const clock = new FakeClock();
  const windows = new Map([1, 2].map((channel) => [channel, new ClientWindow()]));
  const happened: string[] = [];
  const audience = new Audience(clock, (channel) => windows.get(channel) ?? new ClientWindow(), {
    lagging: ({ channel }) => happened.push(`lagging ${channel}`),
    relieved: ({ channel }, has) => happened.push(`relieved ${channel} at ${has}`),
    unseen: () => {},
    paced: () => {},
  });
  for (const channel of [1, 2]) {
    audience.join(viewer(channel));
    audience.follow(channel, 0, 0);
  }
  // The first one's path has been found wide, so that frames are larger than the other's window.
  const wide = windows.get(1) ?? new ClientWindow();
  for (let now = 0; wide.limitBytes < 4 * WINDOW_FIRST_BYTES; now += 100) {
    const bytes = wide.limitBytes;
    wide.sent(bytes, now);
    wide.acknowledged(bytes, 1, now + 1);
  }
  audience.offer(2 * WINDOW_FIRST_BYTES);
  expect(happened).toEqual(['lagging 2']);
  clock.advance(RETURN_AFTER_MS);
  expect(happened[1]).toBe('relieved 2 at 0');
  audience.stop();
  expect(clock.pending).toBe(0);
});
