/**
 * What must hold for hidden or stalled pages, checked at the end of a story when everything else is in order: they get
 * little or nothing, and the program does not wait for them.
 */
import { expect } from 'vitest';
import { WINDOW_MAX_BYTES } from '../../vm-agent/output/credit-window.ts';
import { STALLED_AFTER_MS } from '../../vm-agent/output/delivery-state.ts';
import { heal } from './heal.ts';
import type { ModelPage } from './model-page.ts';
import type { ModelWorld } from './model-world.ts';

export const FINALES = ['none', 'hide', 'hideOne', 'stall', 'watch', 'leave', 'end'] as const;
export type Finale = (typeof FINALES)[number];

/** More than the first window, and no more than a frame. */
const FLOOD_BYTES = 60_000;

export async function finale(world: ModelWorld, kind: Finale): Promise<void> {
  if (kind === 'none' || world.life.hasExited) return;
  // The program may wait for an abandoned socket of a page until the relay has detected that.
  for (const [index, { abandoned }] of world.pages.entries())
    while (abandoned.length > 0) world.forgetLate(index);
  await ENDINGS[kind](world);
  await heal(world);
}

const ENDINGS: Record<Exclude<Finale, 'none'>, (world: ModelWorld) => Promise<void>> = {
  hide: (world) => lookAway(world, world.pages),
  hideOne: (world) => lookAway(world, world.pages.slice(0, 1)),
  stall: everybodyStalls,
  watch: onlyViewersAreLeft,
  leave: everybodyLeaves,
  end: itEndsBeforeOneWhoIsBehind,
};

/** [OU13] No output and one mark, for each of `pages`; nobody waits for them. */
async function lookAway(world: ModelWorld, pages: readonly ModelPage[]): Promise<void> {
  for (const { seat } of pages) seat?.session.setVisible(false);
  await world.deliverEverything();
  const before = pages.map(({ heard }) => ({ ...heard }));
  for (let round = 0; round < 3; round++) {
    world.prints(FLOOD_BYTES);
    if (pages.length === world.pages.length) expect(world.life.pty.paused, 'the program waits').toBe(false);
    await world.deliverEverything();
    world.wait(100);
  }
  await world.deliverEverything();
  const heard = (page: ModelPage, i: number) => ({
    outputBytes: page.heard.outputBytes - (before[i]?.outputBytes ?? 0),
    marks: page.heard.marks - (before[i]?.marks ?? 0),
  });
  expect(pages.map(heard)).toEqual(pages.map(() => ({ outputBytes: 0, marks: 1 })));
}

/** [AG2] The session is kept for the grace period and no longer, if there is one. */
async function everybodyLeaves(world: ModelWorld): Promise<void> {
  for (const index of world.pages.keys()) world.cut(index);
  await world.deliverEverything();
  const lives = world.lives.length;
  const after = async (ms: number) => {
    world.wait(ms);
    await world.deliverEverything();
    return world.lives.length - lives;
  };
  if (world.graceMs === 0) return expect(await after(3_600_000)).toBe(0);
  expect(await after(world.graceMs - 1), 'ended before its time').toBe(0);
  expect(await after(1), 'ended').toBe(1);
}

/** [OU6] A client that was told about the exit does not report it before it shows the last byte. */
async function itEndsBeforeOneWhoIsBehind(world: ModelWorld): Promise<void> {
  const [slow] = world.pages;
  if (slow?.seat === undefined) return;
  slow.seat.screen.isStalled = true;
  for (let round = 0; round < 4; round++) {
    world.prints(FLOOD_BYTES);
    await world.deliverEverything();
    world.wait(STALLED_AFTER_MS + 1);
  }
  world.exits();
  await world.deliverEverything();
  const { session, screen } = slow.seat;
  if (session.state.name === 'exited') expect(screen.isAllOf(world.life.printed)).toBe(true);
}

/** [OU5] [OU10] Nobody waits for them, and output to them ends with their windows. */
async function everybodyStalls(world: ModelWorld): Promise<void> {
  for (const { seat } of world.pages) if (seat !== undefined) seat.screen.isStalled = true;
  const heard = () => world.pages.reduce((sum, page) => sum + page.heard.outputBytes, 0);
  for (let rounds = 0, before = -1; before !== heard(); rounds++) {
    expect(rounds * FLOOD_BYTES, 'sent to pages that acknowledge nothing').toBeLessThan(2 * WINDOW_MAX_BYTES);
    before = heard();
    world.prints(FLOOD_BYTES);
    await world.deliverEverything();
    world.wait(STALLED_AFTER_MS + 1);
    expect(world.life.pty.paused).toBe(false);
  }
}

/** [OU5] A client that may not type sets no pace, not even for a moment. */
async function onlyViewersAreLeft(world: ModelWorld): Promise<void> {
  for (const [index, { role, seat }] of world.pages.entries()) {
    if (role === 'operator') world.cut(index);
    else if (seat !== undefined) seat.screen.isStalled = true;
  }
  await world.deliverEverything();
  for (let round = 0; round < 3; round++) {
    world.prints(FLOOD_BYTES);
    expect(world.life.pty.paused, 'the program waits').toBe(false);
    await world.deliverEverything();
  }
}
