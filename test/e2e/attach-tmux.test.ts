/** `holdfast attach` in a window of a real tmux, with the same session in a page in Chromium. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { BIN } from '../support/holdfast-command.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { TmuxWindow } from '../support/tmux-window.ts';
import { World } from '../support/world.ts';

const tmux = onPath('tmux');
const SIZE = { cols: 80, rows: 24 };
const dir = mkdtempSync(join(tmpdir(), 'holdfast-attach-tmux-'));

let world: World;
let proxy: CuttingProxy;
let page: Page;
let desk: TmuxWindow;

beforeAll(async () => {
  if (tmux === undefined) return;
  const relay = await TestRelay.onWorkerd();
  world = await World.open({}, relay);
  proxy = await CuttingProxy.to(relay.url);
  page = await openTerminal(world);
  writeFileSync(join(dir, 'token'), await relay.token('operator'), { mode: 0o600 });
  writeFileSync(join(dir, 'holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(dir, 'holdfast'), 0o755);
  desk = new TmuxWindow(tmux, SIZE, {
    PATH: `${dir}:${process.env.PATH}`,
    // Only the command's connection goes through the proxy that is cut; the page sees what happens meanwhile.
    HOLDFAST_RELAY: proxy.url.href,
    HOLDFAST_WORKSPACE: relay.workspace,
    HOLDFAST_TOKEN_FILE: join(dir, 'token'),
  });
});

afterAll(async () => {
  desk?.[Symbol.dispose]();
  await proxy?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** Both windows, once neither has anything left to draw. */
async function sameScreens(): Promise<void> {
  await expect
    .poll(async () => [await desk.screen(), (await terminalOf(page).screen()).trimEnd()])
    .toSatisfy(([one, other]: string[]) => one === other && one !== '');
}

describe.skipIf(tmux === undefined)(`holdfast attach under tmux${unlessMissing('tmux', tmux)}`, () => {
  it('[OU8] input typed here appears in the browser, on the same screen', async () => {
    await desk.shows(/^desk>$/m);
    await desk.types('holdfast attach');
    await desk.shows(/[#$]$/m);
    await desk.types(`PS1='$ '; clear`);
    await desk.types(String.raw`printf 'ünï 漢字 \033[1;31mred\033[0m\n'; seq 1 30; echo typed-$((6*7))`);
    await desk.shows(/^typed-42\n\$$/m);
    await terminalOf(page).shows(/^typed-42\n\$$/m);
    await sameScreens();
  });

  it('shows a full-screen program as the browser does, and leaves its screen with it', async () => {
    await desk.types('seq 100 400 | less -X');
    await desk.presses('PageDown');
    await desk.presses('/', '3', '3', '3', 'Enter');
    await desk.shows(/^333$/m);
    await terminalOf(page).shows(/^333$/m);
    await sameScreens();
    await desk.presses('q');
    await desk.shows(/^\$$/m);
    await sameScreens();
  });

  it('detaches with its key, and the session keeps running', async () => {
    await desk.types('clear');
    await desk.shows(/^\$$/);
    await desk.presses('C-]');
    await desk.shows(/\[detached from .*; still running\]\ndesk>$/m);
    await terminalOf(page).types('echo alone-$((6*7))\n');
    await terminalOf(page).shows(/^alone-42$/m);
    await desk.types('clear; holdfast attach');
    await desk.shows(/^alone-42\n\$$/m);
    await sameScreens();
  });

  it('[OU2] reconnects by itself after a network cut: input is typed once, and the screen equals the browser’s', async () => {
    await desk.types('clear; n=0; c() { n=$((n+1)); echo call-$n; }; echo set-$((6*7))');
    await desk.shows(/^set-42\n\$$/m);
    proxy.down();
    await terminalOf(page).types('echo meanwhile-$((6*7))\n');
    await terminalOf(page).shows(/^meanwhile-42$/m);
    await desk.types('c');
    await desk.shows(/holdfast: reconnecting \(.+\); \d+ bytes typed and kept/);
    proxy.up();
    await desk.shows(/^meanwhile-42\n\$ c\ncall-1\n\$$/m);
    await terminalOf(page).shows(/^call-1\n\$$/m);
    await sameScreens();
    expect(await desk.screen()).not.toMatch(/holdfast|call-2/);
  });

  it('exits with the program, and returns the window to the outer shell', async () => {
    await desk.types('exit 7');
    await desk.shows(/\[.* has ended: exit code 7\]\ndesk>$/m);
    await desk.types('echo code $?');
    await desk.shows(/^code 7$/m);
  });
});
