/** Sessions and their timers, with a hand-driven clock and scripted programs. */
import { describe, expect, it } from 'vitest';
import { Machine, refusalOf, SIZE } from './machine.ts';

describe('a session', () => {
  it('[P3] [M5] describes itself: id, key, name, status, orphaned since, size, times, buffer', () => {
    const machine = new Machine();
    const { session, pty } = machine.creates({ name: 'build', key: 'k1' });
    pty.prints('hello');
    expect(session.info).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      key: 'k1',
      name: 'build',
      status: 'running',
      attached: 0,
      orphanedSince: expect.stringMatching(/^\d{4}-.*Z$/),
      exitCode: null,
      signal: null,
      ...SIZE,
      cwd: '/home/ann',
      title: null,
      foreground: 'sh',
      createdAt: expect.any(String),
      lastActivityAt: expect.any(String),
      bufferBytes: 5,
      epoch: machine.manager.epoch,
    });
    machine.attaches(session);
    expect(session.info).toMatchObject({ attached: 1, orphanedSince: null });
    pty.exits({ code: 2 });
    expect(session.info).toMatchObject({ status: 'exited', exitCode: 2 });
  });

  it('[SEC6] [M2] has its own id that cannot be guessed', () => {
    const machine = new Machine({ maxSessions: 200 });
    const ids = Array.from({ length: 100 }, () => machine.creates().id);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(16);
  });

  it('starts where and as requested, with a directory relative to home', () => {
    const machine = new Machine();
    expect(
      machine.creates({ cwd: 'src', command: 'vim', args: ['a.ts'], env: { EDITOR: 'vi' } }).pty.spec,
    ).toEqual({
      command: 'vim',
      args: ['a.ts'],
      cwd: '/home/ann/src',
      env: { TERM: 'xterm-256color', EDITOR: 'vi', TERM_SESSION_ID: expect.any(String) },
      size: SIZE,
    });
    expect(machine.creates({ cwd: '/srv' }).pty.spec.cwd).toBe('/srv');
    expect(machine.creates().pty.spec).toMatchObject({ command: '/bin/sh', args: [], cwd: '/home/ann' });
  });

  it.each(['A=B', '', '1X', 'a b', 'BASH_FUNC_ls%%'])('refuses to set %j in its environment', (name) => {
    const machine = new Machine();
    expect(refusalOf(() => machine.creates({ env: { [name]: 'x' } }))).toBe('bad_request');
    expect(machine.spawner.ptys).toEqual([]);
  });

  it('refuses a value with a NUL character', () => {
    expect(refusalOf(() => new Machine().creates({ env: { A: 'x\0y' } }))).toBe('bad_request');
  });

  it('gets its own name if none is requested, or none that can be shown', () => {
    const machine = new Machine();
    expect(machine.creates().session.info.name).toBe('Terminal 1');
    expect(machine.creates({ name: '\u001b\u202e' }).session.info.name).toBe('Terminal 2');
    expect(machine.creates({ name: `\u0007${'x'.repeat(300)}` }).session.info.name).toBe('x'.repeat(256));
  });
});

describe('finding a session', () => {
  it('[M2] one live session per key: a second request finds it, also by another name', () => {
    const machine = new Machine();
    const { id } = machine.creates({ key: 'milestone-7' });
    expect(machine.creates({ key: 'milestone-7', name: 'other' }).id).toBe(id);
    expect(machine.spawner.ptys).toHaveLength(1);
    expect(machine.manager.findByKey('milestone-7')?.identity.id).toBe(id);
  });

  it('[M2] a key that had to be made printable finds its session too, and an empty one finds none', () => {
    const machine = new Machine();
    const { id } = machine.creates({ key: 'build\u0007 7\u202e' });
    expect(machine.creates({ key: 'build\u0007 7\u202e' }).id).toBe(id);
    expect(machine.creates({ key: 'build 7' }).id).toBe(id);
    expect(machine.creates({ key: '\u0007' }).session.identity.key).toBeNull();
    expect(machine.creates({ key: '\u0007' }).session.identity.key).toBeNull();
    expect(machine.spawner.ptys).toHaveLength(3);
  });

  it('[M2] [M4] a key is free again when its session has ended or was closed', () => {
    const machine = new Machine({ maxSessions: 10 });
    const first = machine.creates({ key: 'k' });
    first.pty.exits();
    const second = machine.creates({ key: 'k' });
    expect(second.id).not.toBe(first.id);
    second.pty.ignores = ['SIGHUP'];
    machine.manager.close(second.session, 'closed');
    const third = machine.creates({ key: 'k' });
    expect(third.id).not.toBe(second.id);
    machine.clock.advance(1000);
    expect(machine.manager.findByKey('k')?.identity.id).toBe(third.id);
  });

  it('[M4] closing removes the session from every lookup and ends its program', () => {
    const machine = new Machine();
    const { session, id, pty } = machine.creates({ key: 'k' });
    machine.manager.close(session, 'closed');
    expect(pty.signals).toEqual(['SIGHUP']);
    expect(refusalOf(() => machine.manager.find(id))).toBe('session_missing');
    expect(machine.manager.findByKey('k')).toBeUndefined();
    expect(machine.manager.findByHandle(session.identity.handle)).toBeUndefined();
    expect(machine.removed).toEqual([`${id} closed`]);
    expect(session.info.bufferBytes).toBe(0);
  });

  it('[AG6] the first client to replace a session creates one, every other window gets that one', () => {
    const machine = new Machine();
    const { id } = machine.creates({ replaces: 'old' });
    expect(machine.creates({ replaces: 'old' }).id).toBe(id);
    expect(machine.creates({ replaces: 'another' }).id).not.toBe(id);
    machine.manager.close(machine.manager.find(id), 'closed');
    expect(machine.creates({ replaces: 'old' }).id).not.toBe(id);
  });

  it('[P8] [M5] lists all sessions with their status', () => {
    const machine = new Machine();
    const [a, b] = [machine.creates({ name: 'a' }), machine.creates({ name: 'b' })];
    b.pty.exits({ code: 1 });
    const list = machine.manager.list().map(({ info: { name, status } }) => `${name} ${status}`);
    expect(list).toEqual(['a running', 'b exited']);
    machine.manager.rename(a.session, ' α ');
    expect(a.session.info.name).toBe('α');
  });

  it('[M6] two managers share nothing', () => {
    const [one, two] = [new Machine(), new Machine()];
    const { id } = one.creates();
    expect(refusalOf(() => two.manager.find(id))).toBe('session_missing');
    expect(one.manager.epoch).not.toBe(two.manager.epoch);
  });
});

describe('limits', () => {
  it('[R10] one session too many is refused, and costs nothing', () => {
    const machine = new Machine({ maxSessions: 1 });
    machine.creates();
    expect(refusalOf(() => machine.creates())).toBe('session_limit');
    expect(machine.spawner.ptys).toHaveLength(1);
  });

  it('[R10] or the session that has been orphaned longest is ended, never one with clients', async () => {
    const machine = new Machine({ whenFull: 'evict-oldest-orphan' });
    const [watched, older, newer] = [machine.creates(), machine.creates(), machine.creates()];
    machine.attaches(watched.session, 1);
    machine.attaches(newer.session, 2);
    machine.attaches(older.session, 3);
    machine.manager.clientDropped(3);
    // Two sessions orphaned in the same millisecond would be equally old.
    await new Promise((resolve) => setTimeout(resolve, 2));
    machine.manager.clientDropped(2);
    machine.creates();
    expect(machine.removed).toEqual([`${older.id} evicted`]);
    machine.creates();
    expect(machine.removed).toEqual([`${older.id} evicted`, `${newer.id} evicted`]);
    for (const session of machine.manager.list()) if (session.viewers === 0) machine.attaches(session, 7);
    expect(refusalOf(() => machine.creates())).toBe('session_limit');
  });

  it('[R10] sessions whose program has ended are evicted first', () => {
    const machine = new Machine({ maxSessions: 2 });
    const ended = machine.creates();
    machine.creates();
    ended.pty.exits();
    machine.creates();
    expect(machine.removed).toEqual([`${ended.id} evicted`]);
  });

  it('[AG5] [M3] [R10] a session without input and output for long enough is closed, and counted', () => {
    const machine = new Machine({ idleTimeoutMs: 300_000, orphanGraceMs: 0 });
    const { session, id, pty } = machine.creates();
    machine.attaches(session);
    machine.clock.advance(299_000);
    pty.prints('still here');
    machine.clock.advance(299_000);
    const viewer = session.audience.viewer(1);
    if (viewer !== undefined) session.type(viewer, 0, new TextEncoder().encode('k'));
    machine.clock.advance(299_999);
    expect(machine.asked).toEqual([]);
    machine.clock.advance(1);
    machine.answers();
    expect(machine.removed).toEqual([`${id} idle`]);
    expect(machine.manager.removals).toMatchObject({ idle: 1, closed: 0 });
  });

  it('[AG5] [M3] a session whose program has ended is kept for its last client, and a while longer', () => {
    const machine = new Machine({ exitedKeepMs: 600_000 });
    const { session, id, pty } = machine.creates();
    machine.attaches(session);
    pty.exits({ code: 0 });
    machine.clock.advance(10_000_000);
    machine.answers();
    expect(machine.removed, 'somebody reads it').toEqual([]);
    machine.manager.clientDropped(1);
    machine.clock.advance(600_000);
    machine.answers();
    expect(machine.removed).toEqual([`${id} exited_expired`]);
  });

  it('[P10] counts orphaned separately from running', () => {
    const machine = new Machine();
    const [a, , c] = [machine.creates(), machine.creates(), machine.creates()];
    machine.attaches(a.session);
    c.pty.exits();
    expect(machine.manager.counts()).toEqual({ running: 2, orphaned: 1, exited: 1 });
  });
});
