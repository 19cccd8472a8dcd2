/**
 * A page that is hidden for minutes, behind another tab, on a machine that ends orphaned sessions.
 * `HOLDFAST_HIDDEN_S=600 npm test -- page-hidden` takes longer and prints how much the browser throttled it.
 */
import type { Page, WebSocket } from 'playwright-core';
import { expect, it } from 'vitest';
import { PING_EVERY_MS } from '../../protocol/connection.ts';
import { SILENT_AFTER_MS } from '../../worker/peers/liveness.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { HidingBrowser } from '../support/hiding-browser.ts';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { World } from '../support/world.ts';

const { HOLDFAST_HIDDEN_S } = process.env;
const isLong = HOLDFAST_HIDDEN_S !== undefined;
/** Two, because the timer of the first may have begun before. */
const BEATS = isLong ? Math.ceil((Number(HOLDFAST_HIDDEN_S) * 1_000) / PING_EVERY_MS) : 2;
/** Shorter than the minute between two timers of a page that has been hidden for a while. */
const GRACE_S = 20;
const TICK_MS = 100;

/** Resolves when the relay's object has answered the next heartbeat of a page. */
const nextBeat = (socket: WebSocket) =>
  socket.waitForEvent('framereceived', {
    predicate: ({ payload }) => payload === 'pong',
    timeout: TEST_WITHIN_MS,
  });

/** Counts in the page how often a timer of it rings. */
async function countRings(page: Page): Promise<() => Promise<number>> {
  await page.evaluate((ms) => {
    const { dataset } = document.documentElement;
    setInterval(() => {
      dataset.rings = `${Number(dataset.rings ?? 0) + 1}`;
    }, ms);
  }, TICK_MS);
  return async () => Number(await page.locator('html').getAttribute('data-rings'));
}

it(
  `[F4] hidden for ${BEATS} heartbeats, it keeps its one socket; if that is cut it reconnects while hidden, and its shell survives`,
  async () => {
    await using world = await World.open({ agentFlags: ['--orphan-grace-period', `${GRACE_S}`] });
    await using leg = await CuttingProxy.to(world.relay.url);
    await using browser = await HidingBrowser.start();
    const page = await browser.context.newPage();
    const dialled: WebSocket[] = [];
    page.on('websocket', (socket) => dialled.push(socket));
    await openTerminal(world, { page, origin: leg.url });
    const [socket] = dialled;
    if (socket === undefined) throw new Error('invariant: a page with a terminal has a socket');
    await terminalOf(page).types('MARK=kept\n');
    const ringsOf = await countRings(page);
    await browser.hide(page);
    const before = await ringsOf();
    const hiddenAt = performance.now();
    for (let beat = 1; beat <= BEATS; beat++) {
      await nextBeat(socket);
      // For the relay, twice that is long enough to drop a page that it does not hear, and once is not.
      await world.relay.advance(SILENT_AFTER_MS / 2);
    }
    const attended = { clients: 1, sessions: { running: 1, orphaned: 0, exited: 0 } };
    expect(await world.health()).toMatchObject(attended);
    expect(dialled, 'while it had a socket').toEqual([socket]);
    const hiddenMs = performance.now() - hiddenAt;
    const rings = (await ringsOf()) - before;
    // Hidden as for a user: the browser fires its timers once a second.
    expect(rings).toBeLessThan(hiddenMs / TICK_MS / 4);
    if (isLong) console.log(`hidden for ${hiddenMs / 1_000} s; a timer of ${TICK_MS} ms rang ${rings} times`);

    leg.cut();
    await expect.poll(() => dialled.length).toBe(2);
    await expect.poll(() => world.health()).toMatchObject(attended);
    await page.bringToFront();
    await terminalOf(page).types('echo "<$MARK>"\n');
    await terminalOf(page).shows(/^<kept>$/m);
    expect(await page.getByRole('tab').count()).toBe(1);
  },
  TEST_WITHIN_MS + BEATS * PING_EVERY_MS,
);
