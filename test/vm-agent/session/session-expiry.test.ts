/** Which timer runs for a session, and that none does for one that is gone. */
import { describe, expect, it } from 'vitest';
import { NEW_LINK_GRACE_MS } from '../../../vm-agent/session/reaper.ts';
import type { Session } from '../../../vm-agent/session/session.ts';
import { SessionExpiry } from '../../../vm-agent/session/session-expiry.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const LIMITS = { orphanGraceMs: 60_000, idleTimeoutMs: 500_000, exitedKeepMs: 90_000 };

/** The part of a session that its timers depend on. */
interface Standing {
  operators: number;
  exit: { code: number; signal: null } | null;
  idleMs: number;
}

function expiry(limits = LIMITS) {
  const clock = new FakeClock();
  const ended: string[] = [];
  const asked: string[] = [];
  const times = new SessionExpiry({
    clock,
    limits,
    ask: (question) => asked.push(question),
    end: (id, reason) => ended.push(`${id} ${reason}`),
  });
  const standing: Standing = { operators: 0, exit: null, idleMs: 0 };
  const noted: (Date | null)[] = [];
  const noteClosing = (at: Date | null) => noted.push(at);
  const session = Object.assign(standing, { identity: { id: 's' }, noteClosing }) as unknown as Session;
  /** Time passes, and the relay answers all questions. */
  const pass = (ms: number) => {
    clock.advance(ms);
    for (const question of asked.splice(0)) times.presenceAnswered(question);
  };
  times.linkOpened();
  return { clock, ended, noted, pass, session, standing, times };
}

describe('the timers of a session', () => {
  it('[AG2] an orphaned session has its grace period, from when its last client left', () => {
    const { ended, pass, session, standing, times } = expiry();
    times.settle(session);
    pass(LIMITS.orphanGraceMs - 1);
    standing.operators = 1;
    times.settle(session);
    pass(LIMITS.orphanGraceMs);
    expect(ended).toEqual([]);
    standing.operators = 0;
    times.settle(session);
    pass(LIMITS.orphanGraceMs);
    expect(ended).toEqual(['s orphan_expired']);
  });

  it('[AG5] an ended session is kept for its own time, from when its last client left, and is not idle', () => {
    const { ended, pass, session, standing, times } = expiry({ ...LIMITS, idleTimeoutMs: 1_000 });
    times.begin(session);
    standing.exit = { code: 0, signal: null };
    times.exited(session);
    standing.operators = 1;
    times.settle(session);
    standing.idleMs = 10_000;
    pass(10_000);
    standing.operators = 0;
    times.settle(session);
    standing.operators = 1;
    times.settle(session);
    pass(2 * LIMITS.exitedKeepMs);
    expect(ended).toEqual([]);
    standing.operators = 0;
    times.settle(session);
    pass(LIMITS.exitedKeepMs);
    expect(ended).toEqual(['s exited_expired']);
  });

  it('[AG3] no timer runs while the link is down', () => {
    const { clock, ended, pass, session, times } = expiry();
    times.settle(session);
    times.linkLost();
    expect(clock.pending).toBe(0);
    pass(10 * LIMITS.orphanGraceMs);
    expect(ended).toEqual([]);
    times.linkOpened();
    pass(Math.max(LIMITS.orphanGraceMs, NEW_LINK_GRACE_MS));
    expect(ended).toEqual(['s orphan_expired']);
  });

  it('[AG8] a delayed close happens once, at the last requested time, unless a client attaches', () => {
    const { clock, session, standing, times } = expiry({ ...LIMITS, orphanGraceMs: 0 });
    const closed: string[] = [];
    times.closeLater(session, 5_000, () => closed.push('first'));
    times.closeLater(session, 7_000, () => closed.push('second'));
    clock.advance(6_999);
    expect(closed).toEqual([]);
    clock.advance(1);
    expect(closed).toEqual(['second']);
    times.closeLater(session, 5_000, () => closed.push('third'));
    standing.operators = 1;
    times.settle(session);
    clock.advance(10_000);
    expect(closed).toEqual(['second']);
    expect(clock.pending).toBe(0);
  });

  it('[AG8] a delayed close is recorded for the next life, until it is cancelled', () => {
    const { noted, session, standing, times } = expiry();
    times.settle(session);
    expect(noted).toEqual([]);
    const before = Date.now();
    times.closeLater(session, 5_000, () => {});
    const [at] = noted;
    expect(at?.getTime()).toBeGreaterThanOrEqual(before + 5_000);
    standing.operators = 1;
    times.settle(session);
    times.settle(session);
    expect(noted.slice(1)).toEqual([null]);
  });

  it('a session that is gone has no timer', () => {
    const { clock, session, times } = expiry();
    times.begin(session);
    times.settle(session);
    times.closeLater(session, 5_000, () => {});
    expect(clock.pending).toBe(3);
    times.forget(session);
    expect(clock.pending).toBe(0);
  });
});
