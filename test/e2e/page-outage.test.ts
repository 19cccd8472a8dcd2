/**
 * Network outages on the page's side and on the machine's, announced and silent, during slow output that must arrive
 * completely and during output of 1 MB a second. `HOLDFAST_OUTAGE_S=5,30 npm test -- page-outage` takes longer and
 * prints how long detection and reconnecting took.
 */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectCount, FAST_COUNT, latestRow, SLOW_COUNT } from '../support/counting-page.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { openTerminal } from '../support/page-story.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { World } from '../support/world.ts';

const isLong = process.env.HOLDFAST_OUTAGE_S !== undefined;
const OUTAGES_S = (process.env.HOLDFAST_OUTAGE_S ?? '5').split(',').map(Number);

const relays = sharedRelays();

/** A machine in its own workspace, with one path to the relay for it and another for the page. */
interface Story extends AsyncDisposable {
  readonly world: World;
  readonly pageLeg: CuttingProxy;
  readonly agentLeg: CuttingProxy;
}

async function begin(): Promise<Story> {
  const relay = await relays.onWorkerd();
  const [pageLeg, agentLeg] = await Promise.all([CuttingProxy.to(relay.url), CuttingProxy.to(relay.url)]);
  const world = await World.open({ legs: { agent: agentLeg.url, client: relay.url } }, relay);
  return {
    world,
    pageLeg,
    agentLeg,
    async [Symbol.asyncDispose]() {
      for (const part of [world, pageLeg, agentLeg]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Without motion: drawing a spinner takes a quarter of what a page does meanwhile. */
async function open({ world }: Story, origin = world.relay.url): Promise<Page> {
  const context = await world.browserContext({ reducedMotion: 'reduce' });
  return openTerminal(world, { context, origin });
}

const lasts = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Outage {
  readonly name: string;
  readonly begin: (story: Story, page: Page) => unknown;
  readonly end: (story: Story, page: Page) => unknown;
}

const PAGE_SIDE: readonly Outage[] = [
  { name: 'announced', begin: ({ pageLeg }) => pageLeg.down(), end: ({ pageLeg }) => pageLeg.up() },
  { name: 'silent', begin: ({ pageLeg }) => pageLeg.freeze(), end: ({ pageLeg }) => pageLeg.thaw() },
  {
    name: 'and the browser reports it',
    begin: ({ pageLeg }, page) => Promise.all([pageLeg.freeze(), page.context().setOffline(true)]),
    end: ({ pageLeg }, page) => Promise.all([pageLeg.thaw(), page.context().setOffline(false)]),
  },
];
const MACHINE_SIDE: Outage = {
  name: "on the machine's side",
  begin: ({ agentLeg }) => agentLeg.down(),
  end: ({ agentLeg }) => agentLeg.up(),
};

const overlay = (page: Page) => page.getByRole('tabpanel').getByText('Reconnecting…');

/** Until it is detected, and then for its duration; what is shown then must come back. */
async function goThrough(
  story: Story,
  page: Page,
  { name, begin, end }: Outage,
  seconds: number,
): Promise<void> {
  const beganAt = performance.now();
  await begin(story, page);
  await overlay(page).waitFor();
  const noticedAt = performance.now();
  await lasts(Math.max(0, seconds * 1_000 - (noticedAt - beganAt)));
  const endedAt = performance.now();
  await end(story, page);
  await overlay(page).waitFor({ state: 'hidden' });
  const tookMs = Math.round(performance.now() - endedAt);
  if (isLong)
    console.log(
      `${seconds} s, ${name}: noticed in ${Math.round(noticedAt - beganAt)} ms, back in ${tookMs} ms`,
    );
}

// These tests mostly wait, so they run in parallel.
describe.concurrent('while the network is down', () => {
  it('the page counts down to its next attempt, and the user can retry at once', async () => {
    await using story = await begin();
    const { world, pageLeg } = story;
    const context = await world.browserContext({ reducedMotion: 'reduce' });
    // The delay is random: it could be too short to be read each time.
    await context.addInitScript(() => {
      Object.assign(Math, { random: () => 0.9 });
    });
    const page = await openTerminal(world, { context, origin: pageLeg.url });
    pageLeg.down();
    await page.getByText(/^Reconnecting in \d+ s$/).waitFor();
    await page.getByRole('button', { name: 'Retry now' }).waitFor();
    // The page is hidden, so attempts are far apart, and only the user can know that one is worthwhile.
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    });
    await page.getByText(/^Reconnecting in ([5-9]|1\d) s$/).waitFor();
    pageLeg.up();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await overlay(page).waitFor({ state: 'hidden' });
    await page.getByRole('status').getByText('Connected').waitFor();
    await terminalOf(page).types('echo again-$((1+1))\n');
    await terminalOf(page).shows(/^again-2$/m);
    await page.context().close();
  });
});

describe.concurrent('while the machine is unreachable and this is not detected yet', () => {
  it('typed input is shown as not taken; it arrives once, and then the notice disappears', async () => {
    await using story = await begin();
    const { agentLeg } = story;
    const page = await open(story);
    const terminal = terminalOf(page);
    await terminal.types('echo ready-$((1+1))\n');
    await terminal.shows(/^ready-2$/m);
    agentLeg.freeze();
    await terminal.typesBlindly('echo late-$((1+1))\n');
    const late = page.getByRole('tabpanel').getByText(/^Waiting for .*: echo late-\$\(\(1\+1\)\)⏎/);
    await late.waitFor();
    agentLeg.thaw();
    await late.waitFor({ state: 'hidden' });
    await terminal.shows(/^late-2$/m);
    expect((await terminal.screen()).match(/^late-2$/gm)).toHaveLength(1);
    await page.context().close();
  });
});

const BACK = /Back after [\d.]+ (ms|s): \d.* caught up in/;

describe.concurrent.each(OUTAGES_S)('the network drops for %d s', (seconds) => {
  it.for(PAGE_SIDE)(
    '[P24] [F2] $name: input typed meanwhile is shown and arrives; nothing is lost or duplicated',
    { timeout: TEST_WITHIN_MS + seconds * 1_000 },
    async (outage, { expect }) => {
      await using story = await begin();
      const page = await open(story, story.pageLeg.url);
      const terminal = terminalOf(page);
      await terminal.types(SLOW_COUNT);
      await terminal.shows(/^row-20$/m);
      const before = await latestRow(page);
      // It ends the count, so that its output stays on the screen.
      const typed = 'kill $!; echo typed-$((40+2))';
      const end = async () => {
        await terminal.typesBlindly(`${typed}\n`);
        await page.getByText(`Not sent yet: ${typed}⏎`).waitFor();
        await outage.end(story, page);
      };
      await goThrough(story, page, { ...outage, end }, seconds);
      await page.getByText(BACK).waitFor();
      await terminal.shows(/^typed-42$/m);
      expect(await latestRow(page)).toBeGreaterThan(before + 30);
      await expectCount(page);
      await page.context().close();
    },
  );

  it("[F2] on the machine's side only: the page waits, says since when, and shows the rest", async ({
    expect,
  }) => {
    await using story = await begin();
    const page = await open(story);
    const terminal = terminalOf(page);
    await terminal.types(SLOW_COUNT);
    await terminal.shows(/^row-20$/m);
    const before = await latestRow(page);
    const end = async () => {
      await page
        .getByRole('tabpanel')
        .getByText(/The machine has been offline since/)
        .waitFor();
      await MACHINE_SIDE.end(story, page);
    };
    await goThrough(story, page, { ...MACHINE_SIDE, end }, seconds);
    await expect.poll(() => latestRow(page)).toBeGreaterThan(before + 30);
    await expectCount(page);
    await page.context().close();
  });

  it.for(isLong ? [...PAGE_SIDE, MACHINE_SIDE] : [MACHINE_SIDE])(
    '[F2] [F17] $name, at 1 MB a second: the screen is correct again, and the user is told how much is lost',
    async (outage, { expect }) => {
      await using story = await begin();
      const page = await open(story, story.pageLeg.url);
      const terminal = terminalOf(page);
      await terminal.types(FAST_COUNT);
      await terminal.shows(/row-\d{4,}$/m);
      const before = await latestRow(page);
      await goThrough(story, page, outage, seconds);
      await page.getByText(/Back after .* [\d,]+ bytes of output are gone/).waitFor();
      await expect.poll(() => latestRow(page)).toBeGreaterThan(before + 20_000);
      await expectCount(page);
      await page.context().close();
    },
  );
});
