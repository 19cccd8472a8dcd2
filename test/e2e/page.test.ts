/** The page in a real Chromium, with a real shell behind it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { complaintsOf, forget, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { untilAsleep, untilAtRest } from '../support/until-asleep.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** In the group that runs while another story waits for its object to sleep. */
const IN_TURN = { concurrent: false } as const;

describe.concurrent('the page', () => {
  it('[GT7] a link with a ticket opens the page once', IN_TURN, async ({ expect }) => {
    const bought = await fetch(new URL('/api/workspaces/test/tickets', world.relay.url), {
      method: 'POST',
      headers: await world.relay.bearer('operator'),
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    const link = `${world.pageUrl}?renderer=dom#ticket=${ticket}`;
    const first = await (await world.browserContext()).newPage();
    await first.goto(link);
    await terminalOf(first).prompts();
    expect(first.url()).toBe(`${world.pageUrl}?renderer=dom`);
    const second = await (await world.browserContext()).newPage();
    await second.goto(link);
    await second.getByText(/does not work/).waitFor();
    await Promise.all([first, second].map((page) => page.context().close()));
  });

  describe('with a terminal', IN_TURN, () => {
    let page: Page;
    let complaints: string[];
    beforeEach(async ({ expect }) => {
      page = await openTerminal(world, { page });
      complaints = complaintsOf(page);
      return async () => {
        await forget(page, world);
        // Last: a complaint about this test must not leave its page to the next.
        expect(complaints).toEqual([]);
      };
    });

    it('removes the token from the address, keeps the query, and focuses the terminal', async ({
      expect,
    }) => {
      expect(page.url()).toBe(`${world.pageUrl}?renderer=dom`);
      await terminalOf(page).types('echo typed-$((1+2))\n');
      await terminalOf(page).shows(/^typed-3$/m);
      await page.getByRole('status').getByText('Connected').waitFor();
    });

    it('is typed into by these tests only after a new prompt, although an old one is shown', async () => {
      const terminal = terminalOf(page);
      await terminal.types('\n');
      await terminal.shows(/^[#$]\n[#$]$/m);
      await terminal.types('sleep 0.5\n');
      await terminal.types('echo late-$((1+1))\n');
      await terminal.shows(/^late-2$/m);
    });

    it('fits its window: the shell is resized with it', async ({ expect }) => {
      const terminal = terminalOf(page);
      await page.setViewportSize({ width: 700, height: 500 });
      const narrow = await sizeSeenByShell(page, 'narrow');
      await page.setViewportSize({ width: 1200, height: 800 });
      const wide = await sizeSeenByShell(page, 'wide');
      expect(wide.cols).toBeGreaterThan(narrow.cols);
      expect(wide.rows).toBeGreaterThan(narrow.rows);
      expect((await terminal.screen()).split('\n')).toHaveLength(wide.rows);
    });

    it('scrolls back, copies and pastes', async ({ expect }) => {
      const terminal = terminalOf(page);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await terminal.types('clear; seq 1 300\n');
      await terminal.shows(/^300$/m);
      await page.keyboard.press('Shift+PageUp');
      await terminal.shows(/^260$/m);
      await page.keyboard.press('Shift+PageDown');
      await terminal.shows(/^300$/m);
      await terminal.prompts();

      await page.evaluate(() => navigator.clipboard.writeText('echo pasted-$((40+2))'));
      await page.keyboard.press('Control+Shift+V');
      await terminal.shows(/echo pasted-/);
      await page.keyboard.press('Enter');
      await terminal.shows(/^pasted-42$/m);

      const row = page.locator('.xterm-rows > div', { hasText: /^pasted-42\s*$/ });
      const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      await page.mouse.dblclick(x + 12, y + height / 2);
      await page.keyboard.press('Control+Shift+C');
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/pasted/);
    });

    it('says that it is reconnecting while the relay is down, and continues where it was', async ({
      expect,
    }) => {
      const terminal = terminalOf(page);
      await terminal.types(
        'clear; i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo row-$i; sleep 0.05; done; echo done-$((1+1))\n',
      );
      await terminal.shows(/^row-\d{2}$/m);
      const overlay = page.getByText('Reconnecting…');
      const seen = overlay.first().waitFor();
      await world.relay.kill();
      await world.relay.restart();
      await seen;
      await terminal.shows(/^done-2$/m);
      await overlay.waitFor({ state: 'hidden' });
      const rows = [...(await terminal.screen()).matchAll(/^row-(\d+)$/gm)].map(([, n]) => Number(n));
      expect(rows, 'every line once and in order').toEqual(rows.map((_, i) => 100 - rows.length + 1 + i));
    });

    it('shows that a shell has ended and offers a new one', async () => {
      const terminal = terminalOf(page);
      await terminal.types('exit 7\n');
      await page.getByText(/exit code 7/).waitFor();
      await page.getByRole('button', { name: 'New shell here' }).click();
      await terminal.types('echo fresh-$((2+2))\n');
      await terminal.shows(/^fresh-4$/m);
    });
  });

  describe('without a valid credential', IN_TURN, () => {
    it.for([
      { name: 'no token', fragment: () => '', says: /npm start/ },
      {
        name: 'a string that is not a token',
        fragment: () => '#token=nonsense',
        says: 'The token is not valid here.',
      },
      {
        name: 'an expired token',
        fragment: async () => `#token=${await world.relay.token('operator', 'test', -60)}`,
        says: 'The token has expired.',
      },
      {
        name: 'a token of another workspace',
        fragment: async () => `#token=${await world.relay.token('operator', 'other')}`,
        says: 'This token is for another workspace.',
      },
    ])(
      '$name: the page says how to get a link, and the fragment is removed',
      async ({ fragment, says }, { expect }) => {
        const page = await (await world.browserContext()).newPage();
        await page.goto(`${world.pageUrl}${await fragment()}`);
        await page.getByText(says, { exact: true }).first().waitFor();
        expect(page.url()).toBe(world.pageUrl);
        expect(await page.getByRole('tabpanel').count()).toBe(0);
        await page.context().close();
      },
    );
  });
});

// If the platform answers heartbeats, as Cloudflare does; a self-hosted relay counts them.
it.concurrent('[S1] lets the object sleep while nothing happens, and a key wakes it without loss', async ({
  expect,
}) => {
  await using world = await World.open({}, await TestRelay.start());
  await untilAtRest(world.relay);
  const page = await openTerminal(world);
  const terminal = terminalOf(page);
  await terminal.types('echo awake-$((1+1))\n');
  await terminal.shows(/^awake-2$/m);
  const before = await world.relay.constructions();
  // On a busy machine, the object may be at rest later than when the last event reached it.
  for (let tries = 1; (await world.relay.constructions()) === before; tries++) {
    expect(tries, 'wake-ups that found it awake').toBeLessThan(5);
    await untilAsleep(world.relay);
    await terminal.types(`echo woken-${tries}-$((1+1))\n`);
    await terminal.shows(new RegExp(`^woken-${tries}-2$`, 'm'));
  }
  expect(await world.relay.constructions()).toBe(before + 1);
});

async function sizeSeenByShell(page: Page, mark: string): Promise<{ rows: number; cols: number }> {
  const terminal = terminalOf(page);
  // The shell gets the new size a moment after the window; retry until both agree.
  for (;;) {
    await terminal.types(`clear; echo ${mark}=$(stty size)=\n`);
    const pattern = new RegExp(`^${mark}=(\\d+) (\\d+)=$`, 'm');
    await terminal.shows(pattern);
    const screen = await terminal.screen();
    const [, rows, cols] = pattern.exec(screen) ?? [];
    if (screen.split('\n').length === Number(rows)) return { rows: Number(rows), cols: Number(cols) };
  }
}
