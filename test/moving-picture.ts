/**
 * `npx node test/moving-picture.ts`: takes the moving picture of the README, of the real page: a build keeps running
 * while the network is lost, the page is reloaded, and a phone takes over.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildAgent, buildPage, buildWorker } from '../tools/build.ts';
import { type AnimationFrame, animatedPng } from './support/animated-png.ts';
import { openTerminal } from './support/page-story.ts';
import { DESK, PHONE, PICTURES, PictureHome } from './support/picture-home.ts';
import { terminalOf } from './support/terminal-page.ts';
import { TestRelay } from './support/test-relay.ts';
import { World } from './support/world.ts';

const CAPTION_HEIGHT = 60;
const FRAME_MS = 2200;
const CHECKS = /\d+ of 400 checks/;

await Promise.all([buildPage(), buildWorker(), buildAgent()]);
using home = new PictureHome();
await using world = await World.open({ home: home.path, shell: '/bin/bash' }, await TestRelay.start());

const frames: AnimationFrame[] = [];
const sheet = await (
  await world.browserContext({ viewport: { width: DESK.width, height: DESK.height + CAPTION_HEIGHT } })
).newPage();

/** Adds a picture of the page with a caption below it. */
async function add(page: Page, caption: string): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled' });
  await sheet.setContent(`<!doctype html><style>
    body { margin: 0; background: #17181c; color: #e8e8ea; font: 500 22px/1 system-ui, sans-serif; text-align: center }
    img { display: block; margin: 0 auto; height: ${DESK.height}px }
    p { margin: 0; line-height: ${CAPTION_HEIGHT}px }
  </style><img src="data:image/png;base64,${png.toString('base64')}"><p>${caption}</p>`);
  frames.push({ png: await sheet.screenshot(), ms: FRAME_MS });
}

const desk = await openTerminal(world, {
  context: await world.browserContext({ viewport: DESK, colorScheme: 'dark' }),
});
await terminalOf(desk).types('./build.sh\n');
await terminalOf(desk).shows(CHECKS);
await add(desk, 'A build runs on a machine behind NAT.');

await desk.context().setOffline(true);
await world.relay.evict('close');
await desk.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
await add(desk, 'The network is lost. The build continues.');

await desk.context().setOffline(false);
await desk.getByRole('tabpanel').getByText('Reconnecting…').waitFor({ state: 'hidden' });
await terminalOf(desk).shows(CHECKS);
await add(desk, 'The network is back, with everything that was printed.');

await desk.reload();
await terminalOf(desk).shows(CHECKS);
await add(desk, 'Reload the page: the same shell, the same screen.');
await desk.context().close();

const phone = await openTerminalOnPhone();
await add(phone, 'Close the browser and continue on a phone.');

async function openTerminalOnPhone(): Promise<Page> {
  const context = await world.browserContext({
    viewport: PHONE,
    colorScheme: 'dark',
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  await page.goto(`${world.pageUrl}?renderer=dom#token=${await world.relay.token('operator')}`);
  await terminalOf(page).shows(CHECKS);
  return page;
}

writeFileSync(join(PICTURES, 'survives.png'), animatedPng(frames));
console.log('docs/pictures/survives.png');
