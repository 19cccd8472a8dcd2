/** The supervisor replaces its keeper: the new one is checked first, and no agent runs when it takes over. */
import { describe, expect, it } from 'vitest';
import { begin } from './supervised.ts';

const LEAVE_MS = 2_000;

/** An upgrade whose check has passed. */
async function leaving(hasBooted = true) {
  const world = begin();
  if (hasBooted) world.serve(0);
  world.nth(0).agent.hears();
  const done = world.supervisor.upgrade();
  world.upgrade.checks.resolve(null);
  await done;
  return world;
}

describe('an upgrade of the keeper', () => {
  it('[K4] leaves the agent alone if the new keeper cannot take over', async () => {
    const { supervisor, upgrade, nth, serve, logged, reasons, processes } = begin();
    serve(0);
    nth(0).agent.hears();
    const done = supervisor.upgrade();
    expect(nth(0).agent.hears()).toEqual([]);
    upgrade.checks.resolve('It has version 9.');
    await done;
    expect(nth(0).agent.hears()).toEqual([]);
    expect([upgrade.runs, processes.length, reasons]).toEqual([0, 1, ['It has version 9.']]);
    expect(logged).toEqual(['agent_ready', 'upgrading_keeper', 'keeper_upgrade_failed']);
    // Another request is heard.
    supervisor.reload();
    expect(processes.length).toBe(2);
  });

  it('[K4] waits until the agent has left', async () => {
    const { upgrade, nth } = await leaving();
    expect(nth(0).agent.hears()).toEqual(['leave']);
    expect(upgrade.runs).toBe(0);
    nth(0).events.ended(0, 'exit code 0');
    expect(upgrade.runs).toBe(1);
  });

  it('[K4] kills an agent that does not leave, and one that has not booted', async () => {
    const { clock, nth } = await leaving();
    clock.advance(LEAVE_MS - 1);
    expect(nth(0).killed).toBe(0);
    clock.advance(1);
    expect(nth(0).killed).toBe(1);
    const other = await leaving(false);
    expect(other.nth(0).killed).toBe(1);
    expect(other.nth(0).agent.hears()).toEqual([]);
  });

  it('[K4] starts an agent of the old keeper if the new one did not take over after all', async () => {
    const { nth, processes, reasons, upgrade, supervisor } = await leaving();
    nth(0).events.ended(0, 'exit code 0');
    expect([processes.length, reasons]).toEqual([2, ['no']]);
    nth(1).events.booted();
    expect(nth(1).agent.hears()).toEqual(['hello']);
    await supervisor.upgrade();
    expect(upgrade.runs).toBe(1);
    expect(nth(1).agent.hears()).toEqual(['leave']);
  });

  it('[K3] [K4] waits until it is known how a program has ended, but not for ever', async () => {
    const { clock, nth, upgrade, processes, reasons } = await leaving();
    upgrade.answer = 'later';
    nth(0).events.ended(0, 'exit code 0');
    clock.advance(10);
    expect([upgrade.runs, processes.length]).toEqual([11, 1]);
    clock.advance(LEAVE_MS);
    expect([upgrade.runs, processes.length]).toEqual([1001, 2]);
    expect(reasons).toEqual(['how a program ended is not known yet']);
  });

  it('[K4] needs no agent, and starts none while one is waited for', async () => {
    const { clock, nth, serve, supervisor, upgrade, processes } = begin();
    serve(0);
    upgrade.answer = 'later';
    nth(0).events.ended(null, 'SIGKILL');
    upgrade.checks.resolve(null);
    await supervisor.upgrade();
    expect(upgrade.runs).toBe(1);
    clock.advance(5);
    expect([upgrade.runs, processes.length]).toEqual([6, 1]);
  });

  it('[K4] is one at a time, and no reload begins meanwhile', async () => {
    const { serve, supervisor, processes, logged } = begin();
    serve(0);
    void supervisor.upgrade();
    await supervisor.upgrade();
    supervisor.reload();
    expect(processes.length).toBe(1);
    expect(logged).toEqual(['agent_ready', 'upgrading_keeper']);
  });

  it.each([
    ['a reload that was asked for meanwhile, if the new keeper cannot take over', 'no', 2],
    ['no reload of its own if it can', null, 1],
  ])('[K4] is followed by %s', async (_what, answer, started) => {
    const { serve, supervisor, upgrade, processes, logged } = begin();
    serve(0);
    const done = supervisor.upgrade();
    supervisor.reload();
    expect(processes.length).toBe(1);
    upgrade.checks.resolve(answer);
    await done;
    expect(processes.length).toBe(started);
    expect(logged.filter((event) => event === 'reloading').length).toBe(started - 1);
  });

  it.each([
    ['has failed', (world: ReturnType<typeof begin>) => world.nth(1).events.ended(3, 'exit code 3')],
    [
      'is done',
      (world: ReturnType<typeof begin>) => {
        world.nth(1).events.booted();
        world.nth(0).events.ended(0, 'exit code 0');
      },
    ],
  ])('[K4] waits until a reload %s', async (_what, end) => {
    const world = begin();
    world.serve(0);
    world.supervisor.reload();
    await world.supervisor.upgrade();
    expect(world.logged).toEqual(['agent_ready', 'reloading']);
    end(world);
    expect(world.logged.at(-1)).toBe('upgrading_keeper');
    // Once: the next reload is only that.
    world.upgrade.checks.resolve('no');
    await world.settle();
    world.supervisor.reload();
    world.nth(2).events.ended(3, 'exit code 3');
    expect(world.logged.at(-1)).toBe('reload_failed');
  });

  it.each([
    ['checked', false],
    ['waited for', true],
  ])('[K4] does not happen if everything is stopped while it is %s', async (_what, hasChecked) => {
    const { clock, nth, serve, supervisor, upgrade, exits, settle } = begin();
    serve(0);
    const done = supervisor.upgrade();
    if (hasChecked) {
      upgrade.checks.resolve(null);
      await done;
    }
    supervisor.stop(0);
    upgrade.checks.resolve(null);
    await done;
    expect(nth(0).agent.hears()).toEqual(['hello', ...(hasChecked ? ['leave'] : []), 'stop']);
    nth(0).events.ended(0, 'exit code 0');
    clock.advance(LEAVE_MS);
    await settle();
    expect([upgrade.runs, exits]).toEqual([0, [0]]);
  });

  it('[K4] is followed by a keeper that goes on if its agent does not start', () => {
    const first = begin();
    first.nth(0).events.ended(3, 'exit code 3');
    expect(first.processes.length).toBe(1);
    const second = begin(true);
    second.nth(0).events.ended(3, 'exit code 3');
    second.clock.advance(0);
    expect(second.processes.length).toBe(2);
  });
});

describe('an agent of another version', () => {
  it('[K4] that is not understood is ended before the old one leaves', () => {
    const { supervisor, serve, nth, logged, reasons } = begin();
    serve(0);
    nth(0).agent.hears();
    supervisor.reload();
    nth(1).events.booted(3);
    expect([nth(1).killed, nth(0).agent.hears()]).toEqual([1, []]);
    nth(1).events.ended(null, 'SIGKILL');
    expect(logged).toEqual(['agent_ready', 'reloading', 'agent_refused', 'reload_failed']);
    expect(reasons[0]).toMatch(
      /^The agent speaks version 3 with its keeper, which speaks version 1: upgrade/,
    );
  });

  it('[K4] that tells none is of the first build, and taken', () => {
    const { nth } = begin();
    nth(0).events.booted(undefined);
    expect(nth(0).agent.hears()).toEqual(['hello']);
  });
});
