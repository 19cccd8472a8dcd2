/** How often the list is read again. */
import { describe, expect, it } from 'vitest';
import { paced, REFRESH_EVERY_MS } from '../../../../web/ui/owner/paced-refresh.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a list that changes', () => {
  it('[J3] [FL6] is read at once, and then once a second while it goes on changing', async () => {
    const clock = new FakeClock();
    let read = 0;
    const { ask } = paced(async () => void read++, clock);
    ask();
    expect(read).toBe(1);
    await turn();
    for (let i = 0; i < 50; i++) ask();
    expect(read).toBe(1);
    clock.advance(REFRESH_EVERY_MS);
    expect(read).toBe(2);
    await turn();
    clock.advance(10 * REFRESH_EVERY_MS);
    expect(read, 'nothing changed any more').toBe(2);
    ask();
    expect(read).toBe(3);
  });

  it('[J3] [FL6] is read again when it changes while it is read', async () => {
    const clock = new FakeClock();
    const answer = Promise.withResolvers<void>();
    let read = 0;
    const { ask } = paced(() => {
      read++;
      return answer.promise;
    }, clock);
    ask();
    ask();
    expect(read).toBe(1);
    answer.resolve();
    await turn();
    clock.advance(REFRESH_EVERY_MS);
    expect(read).toBe(2);
  });

  it('[J3] is not read after the page has been left', async () => {
    const clock = new FakeClock();
    let read = 0;
    const { ask, stop } = paced(async () => void read++, clock);
    ask();
    await turn();
    ask();
    stop();
    clock.advance(10 * REFRESH_EVERY_MS);
    ask();
    expect(read).toBe(1);
  });
});
