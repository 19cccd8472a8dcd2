/** A laptop whose lid was closed: the network has forgotten it when it wakes, and nobody tells its sockets. */
import { expect, it } from 'vitest';
import { ChaosProxy } from '../support/chaos-proxy.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { openTerminal } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

/** For how long the browser is stopped; `HOLDFAST_LID_SECONDS=60 npm test -- lid` is the long version. */
const LID_SECONDS = Number(process.env.HOLDFAST_LID_SECONDS ?? 7);

it(
  `[F3] a browser that was stopped for ${LID_SECONDS} s, and whose connections nobody remembers, finds back by itself`,
  async () => {
    await using world = await World.open();
    await using leg = await ChaosProxy.to(world.relay.url);
    const page = await openTerminal(world, { origin: leg.url });
    const terminal = terminalOf(page);
    await terminal.types(
      'clear; (i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo row-$i; sleep 0.05; done) &\n',
    );
    await terminal.shows(/^row-10$/m);
    const browser = familyOf(process.pid).filter(({ name }) => /chrom/.test(name));
    expect(browser.length).toBeGreaterThan(1);
    for (const { pid } of browser) process.kill(pid, 'SIGSTOP');
    leg.halfOpen('near');
    await new Promise((resolve) => setTimeout(resolve, LID_SECONDS * 1_000));
    for (const { pid } of browser) process.kill(pid, 'SIGCONT');
    const wokenAt = performance.now();
    await page.keyboard.type('echo back-$((40+2))\r');
    await terminal.shows(/^back-42$/m);
    console.log(
      `stopped for ${LID_SECONDS} s, back after ${((performance.now() - wokenAt) / 1000).toFixed(1)} s`,
    );
    const rows = [...(await terminal.screen()).matchAll(/row-(\d+)$/gm)].map(([, n]) => Number(n));
    expect(rows).toEqual(rows.map((_, i) => (rows[0] ?? 0) + i));
    await page.context().close();
  },
  60_000 + LID_SECONDS * 1_000,
);

it('[F3] [CN7] the gap in its clock makes the page look after its socket, long before a heartbeat would', async () => {
  await using world = await World.open();
  await using leg = await CuttingProxy.to(world.relay.url);
  const context = await world.browserContext();
  // The page's timers run in a Worker. Those for heartbeats never ring here, so that nothing but the gap can show the socket's death.
  await context.addInitScript(() => {
    const HEARTBEATS_MS = [2_500, 8_000] as const;
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, message: { ms?: unknown }) {
      const { ms } = message;
      const isHeartbeat = typeof ms === 'number' && ms >= HEARTBEATS_MS[0] && ms <= HEARTBEATS_MS[1];
      if (!isHeartbeat) postMessage.call(this, message);
    } as Worker['postMessage'];
  });
  const page = await openTerminal(world, { context, origin: leg.url });
  await terminalOf(page).types('MARK=kept\n');
  leg.freeze();
  await page.evaluate(() => {
    const awake = Date.now;
    Date.now = () => awake() + 60_000;
  });
  const overlay = page.getByRole('tabpanel').getByText('Reconnecting…');
  await overlay.waitFor();
  leg.thaw();
  await overlay.waitFor({ state: 'hidden' });
  await terminalOf(page).types('echo "<$MARK>"\n');
  await terminalOf(page).shows(/^<kept>$/m);
  expect(await page.getByRole('tab').count()).toBe(1);
  await context.close();
}, 60_000);
