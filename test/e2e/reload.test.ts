/** What a reload must not do: type, or take the tabs of another window. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { newTerminal, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { World } from '../support/world.ts';

/** `HOLDFAST_RELOADS=50 npm test -- reload` is the long version. */
const RELOADS = Number(process.env.HOLDFAST_RELOADS ?? 3);

it(
  `[F1] [OU14] ${RELOADS} reloads with two other viewers: a program that queries the terminal gets one answer per query, and nothing else`,
  async () => {
    await using world = await World.open();
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-reload-'));
    // Once the world is closed: until then the program writes into it.
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    // Queries the cursor position five times a second, counts its queries, and stores its input.
    const script = `stty raw -echo; clear; printf ready; (while :; do echo >> ${dir}/asked; printf '\\033[6n'; sleep 0.2; done) & exec cat > ${dir}/typed`;
    await terminal.types(`exec sh -c "${script.replaceAll('"', '\\"').replaceAll('$', '\\$')}"\n`);
    await terminal.shows(/ready/);
    const [session] = await (await world.client()).client.list();
    for (let i = 0; i < 2; i++)
      await (await world.client()).attachAsPage(session?.id ?? '').screen.sees(/ready/);
    const asked = () => readFileSync(join(dir, 'asked'), 'utf8').length;
    for (let turn = 0; turn < RELOADS; turn++) {
      await page.reload();
      await terminal.shows(/ready/);
      const before = asked();
      await expect.poll(asked).toBeGreaterThan(before + 2);
    }
    const answers = readFileSync(join(dir, 'typed'), 'latin1').replaceAll('\x1b', 'ESC');
    const CURSOR_PLACE = /ESC\[\d+;\d+R/g;
    expect(answers.replaceAll(CURSOR_PLACE, '')).toBe('');
    const count = answers.match(CURSOR_PLACE)?.length ?? 0;
    expect(count).toBeGreaterThan(0);
    // A query whose answer would be late gets none.
    expect(count).toBeLessThanOrEqual(asked());
    await page.context().close();
  },
  TEST_WITHIN_MS + RELOADS * 10_000,
);

it(
  `[F1] [P16] after ${RELOADS} reloads a window still has its own open tab, whatever another window has open`,
  async () => {
    await using world = await World.open();
    const page = await openTerminal(world);
    await newTerminal(page);
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await expectTabs(page, '[Terminal 1]', 'Terminal 2');
    const { client } = await world.client();
    const idOf = async (wanted: string) => (await client.list()).find(({ name }) => name === wanted)?.id;
    const isSaved = async (active: string) =>
      expect.poll(async () => (await client.loadLayout())?.active).toBe(await idOf(active));
    // The other window starts with the tabs that were saved last, half a second after a change.
    await isSaved('Terminal 1');
    const other = await openTerminal(world);
    await other.getByRole('tab', { name: 'Terminal 2' }).click();
    await expectTabs(other, 'Terminal 1', '[Terminal 2]');
    // A browser without its own tabs would get those of the other.
    await isSaved('Terminal 2');
    for (let turn = 0; turn < RELOADS; turn++) {
      await page.reload();
      await expectTabs(page, '[Terminal 1]', 'Terminal 2');
    }
    await page.context().close();
    await other.context().close();
  },
  TEST_WITHIN_MS + RELOADS * 10_000,
);
