/**
 * `npx node test/screenshots.ts`: takes the pictures of README and docs of the real product, with a home made for them,
 * so that they show nothing of the machine.
 */
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { buildAgent, buildPage, buildWorker } from '../tools/build.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { OwnedRelay } from './support/owned-relay.ts';
import { endSessions, newTerminal, openTerminal, untilRuns } from './support/page-story.ts';
import { DESK, PHONE, PICTURES, PictureHome } from './support/picture-home.ts';
import { terminalOf } from './support/terminal-page.ts';
import { TestRelay } from './support/test-relay.ts';
import { World } from './support/world.ts';

await Promise.all([buildPage(), buildWorker(), buildAgent()]);
using home = new PictureHome();
const relay = await TestRelay.start();
await using agentLeg = await CuttingProxy.to(relay.url);
const legs = { agent: agentLeg.url, client: relay.url };
await using world = await World.open({ home: home.path, shell: '/bin/bash', legs }, relay);

const context = (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  world.browserContext({
    viewport: DESK,
    colorScheme: 'dark',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });

async function take(page: Page, name: string): Promise<void> {
  // The mouse is where the last click was, and would highlight what is below it.
  await page.mouse.move(0, DESK.height / 2);
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
  console.log(`docs/pictures/${name}.png`);
}

async function rename(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Alt+Shift+R');
  await page.getByLabel('Name of the terminal').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name }).waitFor();
}

/** An editor, a build and a shell in one tab. */
async function takePanes(): Promise<void> {
  const page = await openTerminal(world, { context: await context() });
  await terminalOf(page).types('vim build.sh\n');
  await untilRuns(world, 'vim');
  for (const [keys, name, line] of [
    ['Alt+Shift+D', 'Terminal 2', './build.sh\n'],
    ['Alt+Shift+E', 'Terminal 3', 'ls --color\n'],
  ] as const) {
    await page.keyboard.press(keys);
    const pane = page.getByRole('tabpanel', { name, exact: true });
    await pane.locator('.xterm-rows > div', { hasText: '$' }).first().waitFor();
    await terminalOf(page).typesBlindly(line);
    await pane
      .locator('.xterm-rows > div', { hasText: /of 400 checks|README/ })
      .first()
      .waitFor();
  }
  await take(page, 'panes');
  await page.context().close();
}

const page = await openTerminal(world, { context: await context() });
const terminal = terminalOf(page);
await take(page, 'first-start');

await terminal.types('ls --color\n');
await terminal.shows(/README\.md/);
await rename(page, 'Shell');
await newTerminal(page);
await rename(page, 'Build');
await terminal.types('./build.sh\n');
await terminal.shows(/\d+ of 400 checks/);
await newTerminal(page);
await rename(page, 'Notes');
await terminal.types('echo "the answer is $((6*7))"\n');
await terminal.shows(/^the answer is 42$/m);
await page.getByRole('tab', { name: 'Shell' }).click();
await terminal.types('cat README.md; echo "read https://example.org/docs"\n');
await terminal.shows(/^read https/m);
await page.locator('[role=tab][data-marker=activity]').waitFor();
await take(page, 'terminal');

await page.getByRole('button', { name: 'Sessions' }).click();
await page.getByRole('button', { name: 'Go to Build' }).waitFor();
await take(page, 'sessions');
await page.keyboard.press('Escape');
await page.getByRole('button', { name: 'Settings' }).click();
await page.getByLabel('Theme').waitFor();
await take(page, 'settings');
await page.keyboard.press('Escape');

await terminal.types('cat > deploy.sh\n');
await untilRuns(world, 'cat'); // a shell at its prompt supports bracketed paste, so there is no question
await page.evaluate(() =>
  navigator.clipboard.writeText('cd /srv/app\ngit pull --ff-only\nnpm ci\nsudo systemctl restart app\n'),
);
await page.keyboard.press('Control+Shift+V');
await page.getByRole('dialog', { name: 'Paste 4 lines?' }).waitFor();
await take(page, 'paste');
await page.getByRole('button', { name: 'Cancel' }).click();
await page.keyboard.press('Control+C');

const small = await openTerminal(world, {
  context: await context({ viewport: { width: 700, height: 420 } }),
});
await small.getByRole('tab', { name: 'Shell' }).click();
await terminalOf(small).types('clear; ls --color\n');
await page.getByRole('button', { name: 'Take over' }).waitFor();
await take(page, 'other-size');
await small.context().close();

// The remaining window sets the size again.
await page.getByRole('button', { name: 'Take over' }).waitFor({ state: 'hidden' });
agentLeg.freeze();
await page.keyboard.type('git push\r');
await page.getByText('Waiting for the machine').waitFor();
await take(page, 'not-taken');
agentLeg.thaw();
await page.getByText('Waiting for the machine').waitFor({ state: 'hidden' });

await page.getByRole('tab', { name: 'Build' }).click();
await page.context().setOffline(true);
await world.relay.evict('close');
await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
await page.keyboard.type('git status\r');
await page.getByText('Not sent yet').waitFor();
await take(page, 'reconnecting');
await page.context().setOffline(false);
await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor({ state: 'hidden' });

await page.getByRole('tab', { name: 'Notes' }).click();
await terminal.types('exit 7\n');
await page.getByText(/exit code 7/).waitFor();
await take(page, 'exited');

await world.agent.stop();
await page
  .getByRole('tabpanel')
  .getByText(/offline since/)
  .waitFor();
await take(page, 'offline');
await page.context().close();
await world.restartAgent();

await endSessions(world);
await takePanes();

await endSessions(world);
const light = await openTerminal(world, { context: await context({ colorScheme: 'light' }) });
await terminalOf(light).types('ls --color; bash build.sh | head -3\n');
await terminalOf(light).shows(/package/);
await take(light, 'light');
await light.context().close();

const stranger = await (await context({ colorScheme: 'light' })).newPage();
await stranger.goto(world.pageUrl);
await stranger.getByText(/npm start/).waitFor();
await take(stranger, 'no-credential');
await stranger.context().close();

await endSessions(world);
const phone = await openTerminal(world, {
  context: await context({ viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
});
await terminalOf(phone).types('clear; ls --color\n');
await terminalOf(phone).shows(/README\.md[^$]*\$\s*$/);
await phone.getByRole('button', { name: 'Ctrl' }).tap();
await take(phone, 'phone');
await phone.context().close();

// The owner's page, as three machines and the one of `holdfast up` have reported.
await using owned = await OwnedRelay.start();
for (const name of ['build-7', 'raspberry', 'gpu']) await owned.joins(name);
const hours = (ago: number) => Date.now() - ago * 3_600_000;
const there = {
  isOnline: true,
  since: hours(5),
  lastSeen: null,
  sessions: 2,
  attention: null,
  version: '0.1.0',
};
await owned.reported({
  local: there,
  gpu: { ...there, since: hours(1), sessions: 7, attention: { state: 'asks', count: 3 } },
  'build-7': { ...there, since: hours(2), sessions: 1, attention: { state: 'failed', count: 1 } },
  raspberry: { ...there, isOnline: false, lastSeen: hours(50), sessions: 1 },
});
await owned.asOwner('PATCH', '/api/owner/machines/raspberry', { displayName: 'Behind the TV' });
const list = await (await context()).newPage();
await list.goto(await owned.ownerLink());
await list.getByText('4 machines, 3 online').waitFor();
await take(list, 'machines');
