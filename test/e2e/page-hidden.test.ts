/**
 * A page that is hidden for minutes, behind another tab, on a machine that ends orphaned sessions.
 * `HOLDFAST_HIDDEN_S=600 npm test -- page-hidden` takes longer and prints how much the browser throttled it.
 */
import { expect, it } from 'vitest';
import { SILENT_AFTER_MS } from '../../worker/peers/liveness.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { HidingBrowser } from '../support/hiding-browser.ts';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { World } from '../support/world.ts';

const isLong = process.env.HOLDFAST_HIDDEN_S !== undefined;
/** Long enough to be dropped without heartbeats. */
const HIDDEN_S = Number(process.env.HOLDFAST_HIDDEN_S ?? SILENT_AFTER_MS / 1000 + 15);
/** Shorter than the minute between two timers of a page that has been hidden for a while. */
const GRACE_S = 20;
const TICK_MS = 100;

it(
  `[F4] hidden for ${HIDDEN_S} s, it keeps its one socket; if that is cut it reconnects while hidden, and its shell survives`,
  async () => {
    await using world = await World.open({ agentFlags: ['--orphan-grace-period', `${GRACE_S}`] });
    await using leg = await CuttingProxy.to(world.relay.url);
    await using browser = await HidingBrowser.start();
    const page = await openTerminal(world, { context: browser.context, origin: leg.url });
    const dialled: string[] = [];
    page.on('websocket', (socket) => dialled.push(socket.url()));
    await terminalOf(page).types('MARK=kept\n');
    await page.evaluate((ms) => {
      const { dataset } = document.documentElement;
      setInterval(() => {
        dataset.rings = `${Number(dataset.rings ?? 0) + 1}`;
      }, ms);
    }, TICK_MS);
    const ringsOf = async () => Number(await page.locator('html').getAttribute('data-rings'));
    await browser.hide(page);
    const before = await ringsOf();
    await new Promise((resolve) => setTimeout(resolve, HIDDEN_S * 1_000));
    const rings = (await ringsOf()) - before;
    // Hidden as for a user: the browser fires its timers once a second.
    expect(rings).toBeLessThan((HIDDEN_S * 1_000) / TICK_MS / 4);
    if (isLong) console.log(`hidden for ${HIDDEN_S} s; a timer of ${TICK_MS} ms rang ${rings} times`);
    const attended = { clients: 1, sessions: { running: 1, orphaned: 0, exited: 0 } };
    expect(await world.health()).toMatchObject(attended);
    expect(dialled, 'while it had a socket').toEqual([]);

    leg.cut();
    await expect.poll(() => dialled.length).toBe(1);
    await expect.poll(() => world.health()).toMatchObject(attended);
    await page.bringToFront();
    await terminalOf(page).types('echo "<$MARK>"\n');
    await terminalOf(page).shows(/^<kept>$/m);
    expect(await page.getByRole('tab').count()).toBe(1);
  },
  TEST_WITHIN_MS + HIDDEN_S * 1_000,
);
