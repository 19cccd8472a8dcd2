/** Sessions that no client watches: their grace period, and a close that was requested for later. */
import { describe, expect, it } from 'vitest';
import { STEP_MS } from '../../../vm-agent/pty/terminate.ts';
import { GRACE_MS, Machine, refusalOf } from './machine.ts';

describe('orphaned sessions', () => {
  it('[P6] [P12] a client that disconnects orphans every session that only it watched, and closes none', () => {
    const machine = new Machine();
    const [a, b, c] = [machine.creates().session, machine.creates().session, machine.creates().session];
    for (const session of [a, b, c]) machine.attaches(session, 1);
    machine.attaches(c, 2);
    machine.manager.clientDropped(1);
    expect([a, b, c].map(({ orphanedSince }) => orphanedSince !== null)).toEqual([true, true, false]);
    expect([a, b, c].map(({ info }) => info.status)).toEqual(['running', 'running', 'running']);
  });

  it('[P9] [S3] end when their grace period is over: program closed, session removed, buffer freed, reason reported', () => {
    const machine = new Machine();
    const { session, id, pty } = machine.creates();
    machine.attaches(session);
    pty.prints('output');
    machine.manager.clientDropped(1);
    machine.clock.advance(GRACE_MS);
    expect(pty.signals).toEqual([]);
    machine.answers();
    expect(pty.signals).toEqual(['SIGHUP']);
    expect(machine.removed).toEqual([`${id} orphan_expired`]);
    expect(machine.manager.removals).toMatchObject({ orphan_expired: 1 });
    expect(machine.told, 'that it has exited would hide why it is gone').not.toContain(`${id} exited`);
    expect(session.info.bufferBytes).toBe(0);
    machine.clock.advance(STEP_MS);
    expect(machine.clock.pending).toBe(0);
  });

  it('[S3] a session that nobody ever attached to is orphaned from the start', () => {
    const machine = new Machine();
    const { id } = machine.creates();
    machine.clock.advance(GRACE_MS);
    machine.answers();
    expect(machine.removed).toEqual([`${id} orphan_expired`]);
  });

  it('[P7] reattaching clears the state and stops the timer', () => {
    const machine = new Machine();
    const { session } = machine.creates();
    machine.clock.advance(GRACE_MS - 1);
    machine.attaches(session);
    machine.clock.advance(10 * GRACE_MS);
    machine.answers();
    expect(session.info).toMatchObject({ status: 'running', attached: 1, orphanedSince: null });
    expect(machine.removed).toEqual([]);
  });

  it('[F16] [P9] reattaching around the end of the grace period, 500 times: either the session lives or it is not found', () => {
    let kept = 0;
    for (let run = 0; run < 500; run++) {
      const machine = new Machine();
      const { session, id, pty } = machine.creates();
      const reattachAt = GRACE_MS - 50 + (run % 101);
      const answerTakes = Math.floor(run / 101) * 15;
      machine.clock.after(reattachAt, () => {
        if (refusalOf(() => machine.manager.find(id)) === 'none') machine.attaches(machine.manager.find(id));
      });
      machine.clock.advance(GRACE_MS - 51);
      for (let ms = 0; ms < 200; ms++) {
        const before = machine.asked.length;
        machine.clock.advance(1);
        if (machine.asked.length > before) machine.clock.after(answerTakes, () => machine.answers());
      }
      const lives = session.viewers === 1;
      if (lives) kept++;
      expect(pty.signals, `run ${run}`).toEqual(lives ? [] : ['SIGHUP']);
      expect(machine.removed, `run ${run}`).toEqual(lives ? [] : [`${id} orphan_expired`]);
    }
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThan(400);
  });

  it('[S3] do not expire while the relay is unreachable, however long that is', () => {
    const machine = new Machine();
    const { session } = machine.creates();
    machine.attaches(session);
    machine.manager.linkLost();
    machine.clock.advance(1000 * GRACE_MS);
    expect(session.viewers).toBe(1);
    machine.manager.linkOpened();
    expect(session.orphanedSince).not.toBeNull();
    machine.clock.advance(GRACE_MS - 1);
    machine.attaches(session, 9);
    machine.clock.advance(GRACE_MS);
    machine.answers();
    expect(machine.removed).toEqual([]);
  });
});

describe('a delayed close', () => {
  it('[AG8] happens if nobody comes back', () => {
    const machine = new Machine();
    const { session, id } = machine.creates();
    machine.manager.closeLater(session, 10_000);
    machine.clock.advance(9_999);
    expect(machine.removed).toEqual([]);
    machine.clock.advance(1);
    expect(machine.removed).toEqual([`${id} closed`]);
  });

  it('[AG8] is cancelled by a client that attaches', () => {
    const machine = new Machine();
    const { session } = machine.creates();
    machine.manager.closeLater(session, 10_000);
    machine.attaches(session);
    machine.clock.advance(20_000);
    expect(session.info.status).toBe('running');
  });
});
