/** The simulation for docs/evidence/scale.md: its assumptions, its required results, and that the page quotes them. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agenda } from '../../bench/simulation/agenda.ts';
import { type DeployOptions, simulateDeploy } from '../../bench/simulation/deploy.ts';
import { FULL_SIZES, hoursTable, placementTable } from '../../bench/simulation/figures.ts';
import { roundTripMs, simulatePlacement } from '../../bench/simulation/placement.ts';
import { Random } from '../../bench/simulation/random.ts';
import { HABITS, simulateHours } from '../../bench/simulation/terminal-hours.ts';
import { checkProperty } from '../support/property.ts';

const SMALL: DeployOptions = {
  seed: 1,
  clients: 2_000,
  clientsPerWorkspace: 2,
  sessionsPerClient: 3,
  watchedShare: 0.4,
  outageMs: 0,
  edgePerSecond: Number.POSITIVE_INFINITY,
};

describe('the agenda', () => {
  it('runs events by time, and events of the same time in the order they were scheduled', () => {
    checkProperty(
      'agenda-order',
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (delays) => {
        const agenda = new Agenda();
        const happened: { at: number; planned: number }[] = [];
        delays.forEach((ms, planned) => {
          agenda.after(ms, () => happened.push({ at: agenda.nowMs, planned }));
        });
        agenda.run();
        const expected = delays
          .map((at, planned) => ({ at, planned }))
          .sort((a, b) => a.at - b.at || a.planned - b.planned);
        expect(happened).toEqual(expected);
      }),
    );
  });

  it('stops at the given time and continues from there', () => {
    const agenda = new Agenda();
    const happened: number[] = [];
    agenda.after(10, () => agenda.after(10, () => happened.push(agenda.nowMs)));
    agenda.run(15);
    expect([agenda.nowMs, happened]).toEqual([15, []]);
    agenda.run();
    expect(happened).toEqual([20]);
  });
});

describe('a deploy that drops every socket', () => {
  it('[P27] gives the same result for the same seed, and another for another seed', () => {
    expect(simulateDeploy(SMALL)).toEqual(simulateDeploy(SMALL));
    expect(simulateDeploy({ ...SMALL, seed: 2 }).usable).not.toEqual(simulateDeploy(SMALL).usable);
  });

  it('[P27] [CN2] spreads reconnects over the first second, and everybody is back soon after', () => {
    const { tries, usable, stillAway } = simulateDeploy(SMALL);
    const perTenth = 3_000 / 10; // 2000 clients and 1000 agents over ten tenths of a second
    for (const count of tries.slice(0, 10)) {
      expect(count).toBeGreaterThan(perTenth * 0.75);
      expect(count).toBeLessThan(perTenth * 1.25);
    }
    expect(stillAway).toBe(0);
    expect(usable.most).toBeLessThan(2_000);
  });

  it('[P27] [CN2] everybody reconnects through an edge that accepts a tenth per second; without jitter they do not', () => {
    const limited = { ...SMALL, edgePerSecond: 100 };
    expect(simulateDeploy(limited).stillAway).toBe(0);
    const herd = simulateDeploy({
      ...limited,
      wait: ({ failures }) => Math.min(15_000, 1000 * 2 ** failures),
    });
    expect(herd.usable.p50).toBeGreaterThan(2 * simulateDeploy(limited).usable.p50);
  });

  it('[P27] nobody is connected before the outage is over', () => {
    const { returned } = simulateDeploy({ ...SMALL, outageMs: 3_000 });
    expect(returned.slice(0, 30).every((count) => count === 0)).toBe(true);
  });
});

describe('an hour of a terminal', () => {
  it('[S1] costs nothing while idle, and more with more use', () => {
    const costs = HABITS.map((habit) => simulateHours(habit, 50, 1).dollars);
    expect(costs[0]).toBe(0);
    const [, read = 0, worked = 0, typed = 0] = costs;
    expect(read).toBeGreaterThan(0);
    expect(worked).toBeGreaterThan(read);
    expect(typed).toBeGreaterThan(worked);
  });

  it('[S1] keeps the object awake for at most an hour', () => {
    for (const habit of HABITS) expect(simulateHours(habit, 20, 3).awakeS).toBeLessThanOrEqual(3600);
  });
});

describe('the place of the object', () => {
  it('[S4] distances between regions match the real ones', () => {
    expect(roundTripMs('weur', 'weur')).toBe(6);
    expect(roundTripMs('weur', 'enam')).toBeCloseTo(104, -1);
    expect(roundTripMs('oc', 'weur')).toBe(roundTripMs('weur', 'oc'));
  });

  it('[S4] next to the agent adds only the last mile, wherever the viewer is', () => {
    const options = { seed: 1, workspaces: 500, nearShare: 0.7, awayShare: 0.2, visits: 5 };
    const beside = simulatePlacement('next to the agent', options);
    expect(beside.addedP95Ms).toBeCloseTo(6);
    expect(simulatePlacement('next to the first client', options).addedP95Ms).toBeGreaterThan(50);
  });
});

describe('docs/evidence/scale.md', () => {
  const page = readFileSync(new URL('../../docs/evidence/scale.md', import.meta.url), 'utf8');

  it('quotes the figures of the simulation for hours and places', () => {
    expect(page).toContain(hoursTable(FULL_SIZES.terminals));
    expect(page).toContain(placementTable(FULL_SIZES.workspaces));
  });
});

describe('random numbers', () => {
  it('are spread evenly, and are the same for the same seed', () => {
    const random = new Random(7);
    const tenths = new Array<number>(10).fill(0);
    for (let n = 0; n < 10_000; n++) {
      const tenth = Math.floor(random.next() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(120);
    expect(new Random(7).next()).toBe(new Random(7).next());
  });
});
