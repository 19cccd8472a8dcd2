/** A laptop whose lid was closed: its connections are dead when it wakes, and nothing informs its sockets. */
import { expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

it('[F3] [CN7] after a gap in its clock, the page checks its socket long before a heartbeat would', async () => {
  await using world = await World.open();
  await using leg = await CuttingProxy.to(world.relay.url);
  const context = await world.browserContext();
  // The page's timers run in a Worker. Those for heartbeats never fire here, so that only the gap can reveal that the
  // socket is dead.
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
});
