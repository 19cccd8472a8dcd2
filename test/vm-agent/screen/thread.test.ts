/** The same with a real worker thread: messages, slices and its death work there too. */
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../node/system-clock.ts';
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';
import { startThread, type ThreadLink } from '../../../vm-agent/screen/thread-link.ts';
import { Session, shown, witness } from './screens.ts';
import { stateOf } from './terminal-state.ts';

const pools: ScreenPool[] = [];

function pool(options: { threads?: number } = {}) {
  const links: ThreadLink[] = [];
  const lost: string[] = [];
  const made = new ScreenPool({
    clock: systemClock,
    start: (events) => {
      const link = startThread(events);
      links.push(link);
      return link;
    },
    threadLost: (reason) => void lost.push(reason),
    ...options,
  });
  pools.push(made);
  return { made, links, lost };
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((each) => each.close()));
});

describe('a worker thread', () => {
  it('[R1] returns a snapshot that, with later output, equals what was printed', async () => {
    const { made } = pool();
    const session = new Session(made);
    for (let n = 0; n < 3000; n++) session.prints(`\x1b[3${n % 8}mline ${n} — 界\x1b[0m\r\n`);
    const early = await session.snapshot({ format: 'ansi', scope: 'all' });
    const late = await session.snapshot({ format: 'ansi', scope: 'all', atLeast: session.offset });
    const expected = stateOf(witness(session));
    expect(stateOf(shown(early))).toEqual(expected);
    expect(stateOf(shown(late))).toEqual(expected);
    expect(late?.replay).toEqual([]);
  });

  it('[R7] takes a snapshot of one session while another floods, long before the flood is parsed', async () => {
    const { made } = pool();
    const flood = new Session(made);
    const quiet = new Session(made);
    quiet.prints('$ quiet');
    const chunk = new TextEncoder().encode('flood \x1b[31mred\x1b[0m\r\n'.repeat(3000));
    while (!flood.screen.feed.isFull) flood.prints(chunk);
    const snapshot = await quiet.snapshot({ format: 'text', scope: 'screen' });
    expect(new TextDecoder().decode(inflateState(snapshot?.deflated ?? new Uint8Array(0)))).toBe('$ quiet\n');
    expect(flood.screen.feed.queue.bytes).toBeGreaterThan(2 ** 20);
  });

  it('[R1] that is killed is replaced and its screens continue', async () => {
    const { made, links, lost } = pool({ threads: 2 });
    const sessions = [new Session(made), new Session(made), new Session(made)];
    for (const session of sessions) session.prints('before ');
    await Promise.all(sessions.map(({ screen }) => screen.snapshot({ format: 'text', scope: 'all' })));
    const thread = sessions[0]?.screen.thread;
    // A message that no thread can take: it throws there, as a bug of ours would.
    thread?.post({ type: 'open', screen: 99 } as never);
    const rebuilt = sessions.filter(({ screen }) => screen.thread === thread);
    await expect.poll(() => rebuilt.every(({ log }) => log.includes('rebuilt'))).toBe(true);
    expect(links).toHaveLength(3);
    expect(lost).toHaveLength(1);
    for (const session of sessions) session.prints('after');
    const texts = await Promise.all(
      sessions.map((session) => session.snapshot({ format: 'text', scope: 'all' })),
    );
    for (const text of texts)
      expect(new TextDecoder().decode(inflateState(text?.deflated ?? new Uint8Array(0)))).toContain('after');
  });
});
