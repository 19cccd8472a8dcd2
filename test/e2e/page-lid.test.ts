/**
 * A laptop's lid: every process of the browser is stopped, and when it continues, its connections are dead. Nothing
 * informs the page; it must detect this by itself. `HOLDFAST_LID_S=60 npm test -- page-lid` takes longer and prints how
 * long that took.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectCount, latestRow, SLOW_COUNT } from '../support/counting-page.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { openTerminal } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

/** Longer than what the page considers a gap in its clock; a process must be frozen for a while. */
const CLOSED_S = Number(process.env.HOLDFAST_LID_S ?? 7);
const isLong = process.env.HOLDFAST_LID_S !== undefined;
const WITHIN_MS = 240_000 + CLOSED_S * 1_000;

let world: World;
let leg: CuttingProxy;
beforeAll(async () => {
  const relay = await TestRelay.onWorkerd();
  leg = await CuttingProxy.to(relay.url);
  world = await World.open({ legs: { agent: relay.url, client: relay.url } }, relay);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await leg[Symbol.asyncDispose]();
});

/** The browser has separate processes for pages, network and drawing; closing the lid stops all of them. */
function browserProcesses(): number[] {
  const found = familyOf(process.pid).filter(({ name }) => /chrom|headless_shell|msedge/i.test(name));
  if (found.length < 3) throw new Error('no browser runs');
  return found.map(({ pid }) => pid);
}

it(
  `[F3] closed for ${CLOSED_S} s: the page detects by itself that its socket is dead, and continues where it was`,
  async () => {
    const page = await openTerminal(world, { origin: leg.url });
    const terminal = terminalOf(page);
    await terminal.types(SLOW_COUNT);
    await terminal.shows(/^row-20$/m);
    const before = await latestRow(page);
    const stopped = browserProcesses();
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    leg.strand();
    try {
      await new Promise((resolve) => setTimeout(resolve, CLOSED_S * 1_000));
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
    const openedAt = performance.now();
    await page.getByText(/Back after \d+ (s|min): \d.* caught up in \d+ m?s\./).waitFor();
    if (isLong)
      console.log(`closed for ${CLOSED_S} s, back ${Math.round(performance.now() - openedAt)} ms after`);
    // It ends the count, so that its output stays on the screen.
    await terminal.typesBlindly('kill $!; echo typed-$((40+2))\n');
    await terminal.shows(/^typed-42$/m);
    expect(await latestRow(page)).toBeGreaterThan(before + 30);
    await expectCount(page);
    await page.context().close();
  },
  WITHIN_MS,
);
