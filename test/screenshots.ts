/**
 * `npm run screenshots`: the pictures of README and docs, taken of the real thing in a home made for them, so
 * that they show nothing of the machine they were taken on.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { buildPage, buildWorker } from '../cli/build.ts';
import { terminalOf } from './support/terminal-page.ts';
import { World } from './support/world.ts';

const PICTURES = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const DESK = { width: 1100, height: 620 };
const PHONE = { width: 360, height: 640 };

const home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
mkdirSync(PICTURES, { recursive: true });
mkdirSync(join(home, 'holdfast'), { recursive: true });
for (const name of ['README.md', 'protocol.md', 'relay.ts', 'agent.ts'])
  writeFileSync(join(home, 'holdfast', name), '');
writeFileSync(
  join(home, '.bashrc'),
  `PS1='\\[\\e[32m\\]vm\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\]$ '\ncd ~/holdfast\n`,
);

await buildPage();
await buildWorker();
await using world = await World.open({ home, shell: '/bin/bash' });

async function open(theme: 'dark' | 'light'): Promise<Page> {
  const page = await (await world.browserContext()).newPage();
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(`${world.pageUrl}#token=${await world.relay.token('operator')}`);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
}

const page = await open('dark');
const terminal = terminalOf(page);
await terminal.types('ls --color\n');
await terminal.shows(/README\.md/);
await terminal.types('for step in compile test package; do echo "building: $step"; sleep 0.1; done\n');
await terminal.shows(/building: package/);
await terminal.types('echo "the answer is $((6*7))"\n');
await terminal.shows(/^the answer is 42$/m);
await take(page, 'terminal');

await world.agent.stop();
await page
  .getByText(/offline since/)
  .first()
  .waitFor();
await take(page, 'offline');
await page.context().close();

const light = await open('light');
await light
  .getByText(/offline since/)
  .first()
  .waitFor();
await world.restartAgent();
await terminalOf(light).types('echo "a fresh shell after the machine came back"\n');
await terminalOf(light).shows(/^a fresh shell/m);
await take(light, 'light');
await light.setViewportSize(PHONE);
await terminalOf(light).shows(/\$$/m);
await take(light, 'phone');
await light.context().clearCookies();
await light.reload();
await light
  .getByText(/npm start/)
  .first()
  .waitFor();
await light.setViewportSize(DESK);
await take(light, 'no-credential');
rmSync(home, { recursive: true, force: true });
