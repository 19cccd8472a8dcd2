/** Images while their screens sleep and wake, within what all screens may keep together. */
import { describe, expect, it } from 'vitest';
import { IMAGES_ASLEEP_MAX_CHARS, IMAGES_KEPT_MAX_CHARS } from '../../../../protocol/limits.ts';
import { inflateState } from '../../../../vm-agent/screen/deflate.ts';
import { SLEEP_AFTER_MS } from '../../../../vm-agent/screen/limits.ts';
import { type Session, world } from '../screens.ts';

/** An image of a million characters. */
const CHARS = 1024 * 1024;
const IMAGE = `\x1bPq"1;1;40;40${'~'.repeat(CHARS - 10)}\x1b\\\r\n`;

async function imagesIn(session: Session): Promise<number> {
  const taken = await session.snapshot({ format: 'ansi', scope: 'all' });
  const text = Buffer.from(inflateState(taken?.deflated ?? new Uint8Array(0))).toString('latin1');
  return text.match(/HoldfastImage/g)?.length ?? 0;
}

describe('the images of sleeping screens', () => {
  it('[T5] are in the snapshots of a screen that sleeps, and after it woke', async () => {
    const w = world();
    const session = w.session();
    session.prints(IMAGE);
    w.thread.run();
    w.clock.advance(SLEEP_AFTER_MS);
    w.thread.run();
    expect(session.screen.state).toBe('asleep');
    expect(session.screen.stored.imageChars).toBe(2 * CHARS);
    expect(await imagesIn(session)).toBe(1);
    session.prints('more');
    w.thread.run();
    expect(session.screen.state).toBe('awake');
    const waking = imagesIn(session);
    w.thread.run();
    expect(await waking).toBe(1);
  });

  it('[T5] [SEC23] are no more than all may have together: those that sleep last keep none', async () => {
    const w = world();
    const full = IMAGES_ASLEEP_MAX_CHARS / (2 * IMAGES_KEPT_MAX_CHARS);
    const sessions = Array.from({ length: full + 1 }, () => w.session());
    for (const session of sessions) {
      for (let count = IMAGES_KEPT_MAX_CHARS / CHARS; count > 0; count--) session.prints(IMAGE);
      w.thread.run();
      w.clock.advance(SLEEP_AFTER_MS);
      w.thread.run();
      expect(session.screen.state).toBe('asleep');
    }
    const kept = sessions.map(({ screen }) => screen.stored.imageChars);
    expect(kept).toEqual([...Array.from({ length: full }, () => 2 * IMAGES_KEPT_MAX_CHARS), 0]);
    expect(await imagesIn(sessions.at(-1) as Session)).toBe(0);
  });
});
