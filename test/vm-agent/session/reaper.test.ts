import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEW_LINK_GRACE_MS, Reaper } from '../../../vm-agent/session/reaper.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { checkProperty } from '../../support/property.ts';

const GRACE_MS = 60_000;

function reaper() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const ended: string[] = [];
  const it = new Reaper({
    clock,
    ask: (question) => asked.push(question),
    end: (id, reason) => ended.push(`${id} ${reason}`),
  });
  const orphan = (id: string, afterMs = GRACE_MS) => it.watch({ id, reason: 'orphan_expired', afterMs });
  /** The relay answers all its questions. */
  const answer = () => {
    for (const question of asked.splice(0)) it.answered(question);
  };
  return { clock, asked, ended, reaper: it, orphan, answer };
}

describe('an orphaned session', () => {
  it('[P9] [AG4] ends when its grace period is over and the relay has answered, not before', () => {
    const { clock, asked, ended, reaper: it, orphan, answer } = reaper();
    it.linkOpened();
    orphan('s');
    clock.advance(GRACE_MS - 1);
    expect(asked).toHaveLength(0);
    clock.advance(1);
    expect(asked).toHaveLength(1);
    clock.advance(10 * GRACE_MS);
    expect(ended).toEqual([]);
    answer();
    expect(ended).toEqual(['s orphan_expired']);
    answer();
    expect(ended).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('[P7] is kept if a client reattaches, also between question and answer', () => {
    const { clock, ended, reaper: it, orphan, answer } = reaper();
    it.linkOpened();
    orphan('early');
    orphan('late');
    it.release('early', 'orphan_expired');
    clock.advance(GRACE_MS);
    it.release('late', 'orphan_expired');
    answer();
    expect(ended).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('[AG4] is ended by the answer to its own question, and by no other', () => {
    const { clock, asked, ended, reaper: it, orphan } = reaper();
    it.linkOpened();
    orphan('first');
    clock.advance(1_000);
    orphan('second');
    clock.advance(GRACE_MS);
    const [first = '', second = ''] = asked;
    expect(first).not.toBe(second);
    orphan('third');
    it.answered('nobody asked this');
    it.answered('');
    expect(ended).toEqual([]);
    it.answered(second);
    expect(ended).toEqual(['second orphan_expired']);
    it.answered(first);
    expect(ended).toEqual(['second orphan_expired', 'first orphan_expired']);
  });

  it('[AG3] that has ended or was released is not asked about again on a new link', () => {
    const { clock, asked, reaper: it, orphan, answer } = reaper();
    it.linkOpened();
    orphan('ended');
    orphan('released');
    clock.advance(GRACE_MS - 1);
    it.release('released', 'orphan_expired');
    clock.advance(1);
    answer();
    it.linkLost();
    it.linkOpened();
    expect(clock.pending).toBe(0);
    clock.advance(10 * GRACE_MS);
    expect(asked).toEqual([]);
  });

  it('[AG3] is not ended by an answer on another link than the question', () => {
    const { clock, asked, ended, reaper: it, orphan } = reaper();
    it.linkOpened();
    orphan('s');
    clock.advance(GRACE_MS);
    const [question = ''] = asked.splice(0);
    it.linkLost();
    it.answered(question);
    it.linkOpened();
    it.answered(question);
    expect(ended).toEqual([]);
    clock.advance(GRACE_MS);
    expect(asked).not.toEqual([question]);
    it.answered(asked[0] ?? '');
    expect(ended).toEqual(['s orphan_expired']);
  });

  it('[P1] is kept forever with a grace period of zero', () => {
    const { clock, asked, reaper: it, orphan } = reaper();
    it.linkOpened();
    orphan('s', 0);
    expect(clock.pending).toBe(0);
    clock.advance(1e12);
    expect(asked).toEqual([]);
  });

  it('[S3] [AG3] survives any outage of the relay, and gets its full grace period afterwards', () => {
    const { clock, ended, reaper: it, orphan, answer } = reaper();
    it.linkOpened();
    orphan('s');
    clock.advance(GRACE_MS - 1);
    it.linkLost();
    clock.advance(100 * GRACE_MS);
    it.linkOpened();
    clock.advance(GRACE_MS - 1);
    answer();
    expect(ended).toEqual([]);
    clock.advance(1);
    answer();
    expect(ended).toEqual(['s orphan_expired']);
  });

  it('[AG3] gets at least half a minute on a new link, however short its grace period, because browsers reconnect too', () => {
    const { clock, asked, reaper: it, orphan } = reaper();
    it.linkOpened();
    orphan('s', 1000);
    it.linkLost();
    it.linkOpened();
    clock.advance(NEW_LINK_GRACE_MS - 1);
    expect(asked).toEqual([]);
    clock.advance(1);
    expect(asked).toHaveLength(1);
  });

  it('[AG4] is not ended by an answer to a question of an earlier link', () => {
    const { clock, asked, ended, reaper: it, orphan } = reaper();
    it.linkOpened();
    orphan('s');
    clock.advance(GRACE_MS);
    const [question] = asked;
    it.linkLost();
    it.linkOpened();
    it.answered(question as string);
    expect(ended).toEqual([]);
  });

  it('[AG2] created while the link is down starts its grace period with the link', () => {
    const { clock, asked, reaper: it, orphan } = reaper();
    orphan('s');
    expect(clock.pending).toBe(0);
    it.linkOpened();
    clock.advance(GRACE_MS);
    expect(asked).toHaveLength(1);
  });
});

describe('an idle timeout', () => {
  it('[R10] [M3] counts from the last activity, not from when it was set', () => {
    const { clock, asked, ended, reaper: it, answer } = reaper();
    let lastActivity = 0;
    it.linkOpened();
    it.watch({
      id: 's',
      reason: 'idle',
      afterMs: 1000,
      remainingMs: () => lastActivity + 1000 - clock.now(),
    });
    clock.advance(900);
    lastActivity = clock.now();
    clock.advance(900);
    expect(asked).toEqual([]);
    clock.advance(100);
    expect(asked).toHaveLength(1);
    lastActivity = clock.now();
    answer();
    expect(ended, 'a key between question and answer keeps it').toEqual([]);
    clock.advance(1000);
    answer();
    expect(ended).toEqual(['s idle']);
  });
});

describe('for any sequence of events', () => {
  it('[S3] [P9] no session ends that was adopted, disconnected, or not asked about on this link since its time was up', () => {
    const command = fc.oneof(
      fc.record({ do: fc.constantFrom('orphan' as const, 'adopt' as const), id: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 100_000 }) }),
      fc.record({
        do: fc.constantFrom('lose' as const, 'open' as const, 'answer' as const, 'stale' as const),
      }),
    );
    checkProperty(
      'reaper',
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const { clock, asked, ended, reaper: it, orphan } = reaper();
        const orphanedSince = new Map<string, number>();
        let linkedSince: number | null = null;
        let stale: string[] = [];
        for (const current of commands) {
          const before = ended.length;
          if (current.do === 'orphan') {
            orphan(current.id);
            orphanedSince.set(current.id, clock.now());
          } else if (current.do === 'adopt') {
            it.release(current.id, 'orphan_expired');
            orphanedSince.delete(current.id);
          } else if (current.do === 'advance') clock.advance(current.ms);
          else if (current.do === 'lose') {
            it.linkLost();
            linkedSince = null;
            stale = asked.splice(0);
          } else if (current.do === 'open') {
            it.linkOpened();
            linkedSince = clock.now();
          } else if (current.do === 'stale') for (const question of stale) it.answered(question);
          else for (const question of asked.splice(0)) it.answered(question);

          for (const line of ended.slice(before)) {
            const id = line.split(' ')[0] as string;
            const since = orphanedSince.get(id);
            expect(current.do).toBe('answer');
            expect(linkedSince).not.toBeNull();
            expect(clock.now() - (linkedSince ?? 0)).toBeGreaterThanOrEqual(
              Math.min(GRACE_MS, NEW_LINK_GRACE_MS),
            );
            expect(since).toBeDefined();
            expect(clock.now() - (since ?? 0)).toBeGreaterThanOrEqual(GRACE_MS);
            orphanedSince.delete(id);
          }
        }
        it.linkLost();
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });
});
