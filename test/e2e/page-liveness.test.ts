/** What the page shows for a machine that hangs while the relay still counts it as online. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endSessions, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(async () => {
  world.thaw();
  await endSessions(world);
});

const hang = () => world.freeze();
const goOn = () => world.thaw();

describe('a machine that hangs', () => {
  it('[U11] is shown as not responding when a key is not taken, and as connected when it continues', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    const status = page.getByRole('contentinfo');
    await terminal.types('echo ready-$((1+1))\n');
    await terminal.shows(/^ready-2$/m);
    await status.getByText('Connected').waitFor();
    const hungAt = performance.now();
    hang();
    await terminal.typesBlindly('echo late-$((1+1))\n');
    await status.getByText('The machine is not responding.').waitFor();
    await page.getByRole('tabpanel').getByText('Waiting for the machine: echo late-$((1+1))⏎').waitFor();
    expect(await status.getByText(/Round trip/).count()).toBe(0);
    const hungMs = performance.now() - hungAt;
    goOn();
    await status.getByText('Connected').waitFor();
    await terminal.shows(/^late-2$/m);
    await page.getByText('Waiting for').first().waitFor({ state: 'hidden' });
    const [, distance = '0'] = /Round trip (\d+)/.exec((await status.textContent()) ?? '') ?? [];
    expect(Number(distance), 'the time it hung is no distance').toBeLessThan(hungMs);
    await page.context().close();
  });

  it('[U11] is shown as not responding when the user returns to the window', async () => {
    const page = await openTerminal(world);
    const status = page.getByRole('contentinfo');
    await status.getByText('Connected').waitFor();
    hang();
    const silent = status.getByText('The machine is not responding.');
    // An agent that was heard a moment ago is not probed; the user returns again after that.
    await expect
      .poll(async () => {
        await page.evaluate(() => dispatchEvent(new Event('focus')));
        return silent.count();
      })
      .toBe(1);
    goOn();
    await status.getByText('Connected').waitFor();
    await page.context().close();
  });

  it('[U11] is not confused with a program that does not read', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('stty raw -echo; echo reads-$((1-1)); sleep 600\n');
    await terminal.shows(/reads-0/);
    // More than a terminal holds for a program that does not read it.
    await page.keyboard.insertText('x'.repeat(20_000));
    await page.getByRole('tabpanel').getByText('It is not reading input.').waitFor();
    await page.getByRole('contentinfo').getByText('Connected').waitFor();
    await page.context().close();
  });
});
