/** The supervisor: one agent at a time is attached, whatever becomes of the processes. */
import { describe, expect, it } from 'vitest';
import { EARLY_END_MS } from '../../../vm-agent/keeper/restart-policy.ts';
import { begin } from './supervised.ts';

const PING_MS = 5_000;
const BOOT_MS = 30_000;
const LEAVE_MS = 2_000;
const STOP_MS = 5_000;

describe('an agent that ends', () => {
  it('[K1] is started again at once, and attached when it has booted', () => {
    const { clock, nth, processes, serve, logged } = begin();
    expect(nth(0).agent.heard).toEqual([]);
    serve(0);
    nth(0).agent.spawn(1);
    clock.advance(EARLY_END_MS);
    nth(0).events.ended(null, 'SIGKILL');
    clock.advance(0);
    expect(processes.length).toBe(2);
    expect(nth(1).agent.heard).toEqual([]);
    nth(1).events.booted();
    expect(nth(1).agent.heard).toEqual(['hello', '1 session']);
    expect(logged).toEqual(['agent_ready', 'agent_ended']);
  });

  it('[F30] is started later and with less if it ends early again and again, and is told why', () => {
    const { clock, nth, processes, serve } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    nth(0).agent.blob(1, 'checkpoint', Buffer.from('screen'));
    for (const [n, delay] of [0, 0, 100].entries()) {
      if (n > 0) nth(n).events.booted();
      nth(n).events.ended(1, 'exit code 1');
      expect(processes.length).toBe(n + 1);
      clock.advance(delay);
      expect(processes.length).toBe(n + 2);
    }
    nth(3).events.booted();
    expect(nth(2).agent.heard).toContain('1 left checkpoint screen');
    expect(nth(3).agent.heard).toEqual(['hello', '1 session']);
    expect(nth(3).agent.messages[0]).toMatchObject({ trouble: expect.stringContaining('3 times in a row') });
  });

  it('[F30] before it was ever ready ends the keeper with its code, because its settings cannot be used', async () => {
    const { nth, processes, exits, settle } = begin();
    nth(0).events.ended(2, 'exit code 2');
    await settle();
    expect([exits, processes.length]).toEqual([[2], 1]);
  });

  it.each([
    ['it was killed', null, false],
    ['it has programs', 2, true],
  ])('[F30] before it was ever ready is started again if %s', async (_, code, hasPrograms) => {
    const { clock, nth, processes, exits, settle } = begin();
    nth(0).events.booted();
    if (hasPrograms) nth(0).agent.spawn(1);
    nth(0).events.ended(code, 'somehow');
    clock.advance(0);
    await settle();
    expect([exits, processes.length]).toEqual([[], 2]);
  });
});

describe('a reload', () => {
  it('[K1] boots another agent, lets the old one leave, and attaches the new one then', () => {
    const { nth, processes, serve, supervisor, clock } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    supervisor.reload();
    expect(processes.length).toBe(2);
    expect(nth(0).agent.heard).not.toContain('leave');
    nth(1).events.booted();
    expect(nth(0).agent.heard).toContain('leave');
    expect(nth(1).agent.heard).toEqual([]);
    nth(0).events.ended(0, 'exit code 0');
    expect(nth(1).agent.heard).toEqual(['hello', '1 session']);
    clock.advance(LEAVE_MS);
    expect([nth(1).killed, processes.length]).toEqual([0, 2]);
  });

  it.each([
    ['is done', (world: ReturnType<typeof begin>) => world.nth(0).events.ended(0, 'exit code 0')],
    ['has failed', (world: ReturnType<typeof begin>) => world.nth(1).events.ended(1, 'exit code 1')],
  ])('[K1] waits until another one %s, whose agent may have read older files', (_what, end) => {
    const world = begin();
    world.serve(0);
    for (let asked = 0; asked < 3; asked++) world.supervisor.reload();
    expect(world.processes.length).toBe(2);
    world.nth(1).events.booted();
    end(world);
    expect(world.processes.length).toBe(3);
    // Once, however often it was asked for.
    world.nth(2).events.ended(1, 'exit code 1');
    expect([world.processes.length, world.logged.at(-1)]).toEqual([3, 'reload_failed']);
  });

  it('[K1] kills an old agent that does not leave', () => {
    const { clock, nth, serve, supervisor } = begin();
    serve(0);
    supervisor.reload();
    nth(1).events.booted();
    clock.advance(LEAVE_MS - 1);
    expect(nth(0).killed).toBe(0);
    clock.advance(1);
    expect(nth(0).killed).toBe(1);
  });

  it('[K1] [K4] that fails changes nothing, and can be repeated', () => {
    const { nth, processes, serve, supervisor, logged } = begin();
    serve(0);
    supervisor.reload();
    nth(1).events.ended(1, 'exit code 1');
    expect(logged.at(-1)).toBe('reload_failed');
    expect(nth(0).agent.heard).toEqual(['hello']);
    supervisor.reload();
    expect(processes.length).toBe(3);
  });

  it('[K1] is finished by the end of the old agent, even before the new one has booted', () => {
    const { nth, processes, serve, supervisor } = begin();
    serve(0);
    supervisor.reload();
    nth(0).events.ended(null, 'SIGSEGV');
    expect(nth(1).agent.heard).toEqual([]);
    nth(1).events.booted();
    expect(nth(1).agent.heard).toEqual(['hello']);
    expect(processes.length).toBe(2);
  });

  it('[K1] starts an agent at once that would be started later', () => {
    const { clock, nth, processes, serve, supervisor } = begin();
    serve(0);
    nth(0).events.ended(1, 'exit code 1');
    supervisor.reload();
    expect(processes.length).toBe(2);
    clock.advance(1000);
    expect(processes.length).toBe(2);
  });

  it('[K1] with an agent that hangs before it has booted kills it, so that another reload is possible', () => {
    const { clock, nth, processes, serve, supervisor } = begin();
    serve(0);
    supervisor.reload();
    clock.advance(BOOT_MS - 1);
    expect(nth(1).killed).toBe(0);
    // Only those that have not booted.
    clock.advance(1);
    nth(0).events.answered();
    expect(nth(1).killed).toBe(1);
    nth(1).events.ended(null, 'SIGKILL');
    supervisor.reload();
    expect(processes.length).toBe(3);
  });
});

describe('an agent that hangs', () => {
  it('[F26] is killed after several pings without an answer, and only then', () => {
    const { clock, nth, serve, logged } = begin();
    serve(0);
    for (let n = 0; n < 10; n++) {
      clock.advance(PING_MS);
      nth(0).events.answered();
    }
    clock.advance(PING_MS * 4);
    expect(nth(0).agent.heard.filter((word) => word === 'ping').length).toBe(14);
    expect(nth(0).killed).toBe(0);
    clock.advance(PING_MS);
    expect([nth(0).killed, logged.at(-1)]).toEqual([1, 'agent_hangs']);
  });

  it('[F26] is not saved by answers of its replacement, whose own count starts at zero', () => {
    const { clock, nth, serve, supervisor } = begin();
    serve(0);
    supervisor.reload();
    for (let n = 0; n < 4; n++) {
      clock.advance(PING_MS);
      nth(1).events.answered();
    }
    clock.advance(PING_MS);
    expect(nth(0).killed).toBe(1);
    nth(0).events.ended(null, 'SIGKILL');
    nth(1).events.booted();
    clock.advance(PING_MS * 4);
    nth(1).events.ended(null, 'SIGKILL');
    clock.advance(0);
    nth(2).events.booted();
    clock.advance(PING_MS * 4);
    expect([nth(1).killed, nth(2).killed]).toEqual([0, 0]);
  });

  it('[F26] before it has booted is killed after a while', () => {
    const { clock, nth } = begin();
    clock.advance(BOOT_MS - 1);
    expect([nth(0).killed, nth(0).agent.heard]).toEqual([0, []]);
    clock.advance(1);
    expect(nth(0).killed).toBe(1);
  });
});

describe('the end', () => {
  it('lets the agent end everything first', async () => {
    const { nth, serve, supervisor, exits, settle, clock } = begin();
    serve(0);
    supervisor.stop(0);
    supervisor.stop(9);
    expect(nth(0).agent.heard).toEqual(['hello', 'stop']);
    supervisor.finished(3);
    await settle();
    expect(exits).toEqual([]);
    nth(0).events.ended(0, 'exit code 0');
    await settle();
    clock.advance(STOP_MS);
    await settle();
    expect(exits).toEqual([0]);
  });

  it.each([
    ['does not end anything in time', STOP_MS, false],
    ['has finished and stays', LEAVE_MS, true],
  ])('does not wait for an agent that %s', async (_, ms, isFinished) => {
    const { clock, nth, ptys, serve, supervisor, exits, settle } = begin();
    serve(0);
    nth(0).agent.spawn(1);
    if (isFinished) supervisor.finished(5);
    else supervisor.stop(5);
    clock.advance(ms - 1);
    await settle();
    expect([exits, ptys[0]?.signals]).toEqual([[], []]);
    clock.advance(1);
    clock.advance(1000);
    await settle();
    expect([exits, ptys[0]?.signals, nth(0).killed]).toEqual([[5], ['SIGHUP'], 1]);
  });

  it('is immediate while no agent can be told', async () => {
    const { nth, serve, supervisor, exits, settle, clock, processes } = begin();
    serve(0);
    nth(0).events.ended(1, 'exit code 1');
    supervisor.stop(0);
    clock.advance(10_000);
    await settle();
    expect([exits, processes.length]).toEqual([[0], 1]);
    const booting = begin();
    booting.supervisor.stop(4);
    await booting.settle();
    expect([booting.exits, booting.nth(0).killed]).toEqual([[4], 1]);
  });

  it('comes with a code of the agent, and there is no reload any more', async () => {
    const { nth, serve, supervisor, exits, settle, processes } = begin();
    serve(0);
    supervisor.reload();
    supervisor.finished(3);
    supervisor.reload();
    nth(0).events.ended(3, 'exit code 3');
    await settle();
    expect([exits, processes.length, nth(1).killed]).toEqual([[3], 2, 1]);
  });

  it('comes for the replacement too, which does not make the agent leave meanwhile', async () => {
    const { clock, nth, serve, supervisor, exits, settle } = begin();
    serve(0);
    supervisor.reload();
    supervisor.stop(0);
    expect(nth(1).killed).toBe(1);
    nth(1).events.booted();
    clock.advance(LEAVE_MS);
    expect([nth(0).agent.heard, nth(0).killed]).toEqual([['hello', 'stop'], 0]);
    nth(0).events.ended(0, 'exit code 0');
    await settle();
    expect(exits).toEqual([0]);
  });
});
