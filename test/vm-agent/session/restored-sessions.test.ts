/** Sessions that were restored after a restart of the agent. */
import { describe, expect, it } from 'vitest';
import { CLOSE_AFTER_MAX_MS } from '../../../protocol/limits.ts';
import { type Keep, type KeptSession, keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { reviveSession } from '../../../vm-agent/kept-state.ts';
import { someMetadata } from '../disk/some-session.ts';
import { Machine } from './machine.ts';

describe('a restored session', () => {
  it('[AG10] has the grace period that it was created with', () => {
    const kept: KeptSession[] = [];
    const keep: Keep = (session) => {
      kept.push(session);
      return keepNothing(session);
    };
    const before = new Machine({ orphanGraceMs: 0 }, keep);
    before.creates({ graceMs: 5_000 });
    const [{ id, metadata } = {}] = kept;
    if (id === undefined || metadata === undefined) throw new Error('nothing was kept');
    const after = new Machine({ orphanGraceMs: 0 });
    reviveSession(
      after.manager,
      { id, metadata, snapshot: null, replay: [], lostBytes: 0, end: 0, savedAt: new Date() },
      new Uint8Array(0),
    );
    after.clock.advance(5_000);
    after.answers();
    expect(after.removed).toEqual([`${id} orphan_expired`]);
  });
});

describe('a session that was restored', () => {
  it('[U1] is what a page gets that asks to replace it', () => {
    const machine = new Machine({ orphanGraceMs: 0 });
    const metadata = someMetadata({ name: 'Terminal 1' });
    reviveSession(
      machine.manager,
      { id: 's1', metadata, snapshot: null, replay: [], lostBytes: 0, end: 0, savedAt: new Date() },
      new Uint8Array(0),
    );
    expect(machine.creates({ replaces: 's1', name: 'Terminal 1' }).id).toBe('s1');
    expect(machine.manager.list()).toHaveLength(1);
  });

  it('[U1] is replaced once its program has ended', () => {
    const machine = new Machine({ orphanGraceMs: 0 });
    const ended = machine.creates();
    ended.pty.exits({ code: 0 });
    expect(machine.creates({ replaces: ended.id }).id).not.toBe(ended.id);
  });
});

describe('a delayed close across a restart', () => {
  function revived(closeAt: string | null) {
    const machine = new Machine({ orphanGraceMs: 0 });
    const metadata = someMetadata({ closeAt });
    reviveSession(
      machine.manager,
      { id: 's1', metadata, snapshot: null, replay: [], lostBytes: 0, end: 0, savedAt: new Date() },
      new Uint8Array(0),
    );
    return machine;
  }

  it('[AG8] happens at the original time', () => {
    const machine = revived(new Date(Date.now() + 20_000).toISOString());
    // The time that restoring took is missing from the timer.
    machine.clock.advance(5_000);
    expect(machine.removed).toEqual([]);
    machine.clock.advance(15_000);
    expect(machine.removed).toEqual(['s1 closed']);
  });

  it('[AG8] is cancelled by a client that attaches', () => {
    const machine = revived(new Date(Date.now() + 20_000).toISOString());
    machine.attaches(machine.manager.find('s1'));
    machine.clock.advance(20_000);
    expect(machine.removed).toEqual([]);
  });

  it('[AG8] does not happen to a session for which it was cancelled', () => {
    const machine = revived(null);
    machine.clock.advance(CLOSE_AFTER_MAX_MS);
    expect(machine.removed).toEqual([]);
  });

  it('[AG8] is delayed no longer than the longest allowed delay, although the clock was set back', () => {
    const machine = revived(new Date(Date.now() + 1000 * CLOSE_AFTER_MAX_MS).toISOString());
    machine.clock.advance(CLOSE_AFTER_MAX_MS);
    expect(machine.removed).toEqual(['s1 closed']);
  });
});
