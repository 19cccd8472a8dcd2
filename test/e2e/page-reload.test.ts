/**
 * Repeated reloads with programs that would notice: an editor, a counter, and one that sends every device query. Every
 * byte that reaches any of them is recorded, and a reload adds none. `HOLDFAST_RELOADS=50 npm test -- page-reload`
 * takes longer.
 */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { LoggedProgram } from '../support/logged-program.ts';
import { endSessions, openPage } from '../support/page-story.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { EVERY_QUERY, LAST_ANSWER } from '../support/terminal-queries.ts';
import { World } from '../support/world.ts';

const RELOADS = Number(process.env.HOLDFAST_RELOADS ?? 3);
const WITHIN_MS = 240_000 + RELOADS * 20_000;
/** Modes in which a terminal sends data without a query: focus, mouse, paste. */
const TALKATIVE = '\x1b[?1004h\x1b[?1003h\x1b[?1006h\x1b[?2004h';
/** In the background of an endless `cat`, so that the terminal is read, and input goes somewhere. */
const COUNTER =
  "sh -c 'stty -echo; (i=0; while :; do i=$((i+1)); echo row-$i; sleep 0.05; done) & exec cat >/dev/null'";

/** What vim does to a terminal, for machines without vim: another buffer, its keys, its queries. */
const LIKE_VIM =
  'sh -c \'stty raw -echo; printf "\\033[?1049h\\033[>4;2m\\033[?1h\\033=\\033[?2004h\\033[?1004h\\033[>c\\033]11;?\\007\\033[2J\\033[HAn editor"; exec cat >/dev/null\'';

function editor(): string {
  try {
    execFileSync('vim', ['--version'], { stdio: 'ignore' });
    return "vim -u NONE -N -n --cmd 'set mouse=a' -c 'call setline(1, \"An editor\")'";
  } catch {
    return LIKE_VIM;
  }
}

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

async function rowsOf(page: Page): Promise<number[]> {
  return [...(await terminalOf(page).screen()).matchAll(/^row-(\d+)$/gm)].map(([, n]) => Number(n));
}

/** One more than before, without a gap or a repetition: it is still counting. */
async function expectCounting(page: Page): Promise<void> {
  const [first = 0] = await rowsOf(page);
  await expect.poll(async () => (await rowsOf(page)).at(-1) ?? 0).toBeGreaterThan(first);
  const rows = await rowsOf(page);
  expect(rows).toEqual(rows.map((_, i) => (rows[0] ?? 0) + i));
}

/**
 * An answer that would be late is not given, and the thread that gives it may take that long to start; then the query
 * is repeated.
 */
async function isAnswered(asking: RecordingProgram): Promise<void> {
  for (let isLate = true; isLate; ) {
    await asking.prints(`${TALKATIVE}${EVERY_QUERY}\r\nasked\r\n`);
    const answered = expect.poll(() => asking.typed, { timeout: 4_000 }).toContain(LAST_ANSWER);
    isLate = await answered.then(
      () => false,
      () => true,
    );
  }
}

it(
  `[F1] [SEC7] ${RELOADS} reloads, with an editor, a counter, a querying program and three clients: same tabs, same screens, and not a byte typed`,
  async () => {
    const client = await world.client();
    using vim = await LoggedProgram.start(client, 'Editor', editor());
    using counter = await LoggedProgram.start(client, 'Counter', COUNTER);
    using asking = await RecordingProgram.start(client, 'Asking');
    const page = await openPage(world);
    const another = await openPage(world);
    for (const { id } of [vim, counter, asking]) client.attachAsPage(id);
    await expectTabs(page, '[Editor]', 'Counter', 'Asking');
    await expectTabs(another, '[Editor]', 'Counter', 'Asking');

    const terminal = terminalOf(page);
    await terminal.shows(/^An editor$/m);
    // Typed by a user, so that all earlier input of the programs is there too.
    await page.keyboard.type('gg');
    await expect.poll(() => vim.typed).toMatch(/gg$/);
    await page.keyboard.press('Alt+Shift+3');
    // Live output from here on: a replay does not request the clipboard.
    await asking.prints('here\r\n');
    await terminal.shows(/^here$/m);
    await isAnswered(asking);
    await terminal.shows(/^asked$/m);
    // One of the queries is about the clipboard. It is answered without the mouse, which this program tracks.
    const no = page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
    await no.evaluate((button: HTMLElement) => button.click());
    const typed = () => ({ vim: vim.typed, counter: counter.typed, asking: asking.typed });
    const before = typed();

    for (let turn = 0; turn < RELOADS; turn++) {
      const [name, looks] = (
        [
          ['Editor', () => terminal.shows(/^An editor$/m)],
          ['Counter', () => expectCounting(page)],
          ['Asking', () => terminal.shows(/^asked$/m)],
        ] as const
      )[turn % 3] ?? ['', async () => {}];
      await page.keyboard.press(`Alt+Shift+${(turn % 3) + 1}`);
      await looks();
      await page.reload();
      await expectTabs(
        page,
        ...['Editor', 'Counter', 'Asking'].map((tab) => (tab === name ? `[${tab}]` : tab)),
      );
      await looks();
      expect(typed(), `after reload ${turn + 1}, of ${name}`).toEqual(before);
    }
    // They do receive what is typed.
    await page.keyboard.press('Alt+Shift+1');
    await terminal.shows(/^An editor$/m);
    await page.keyboard.type('G');
    await expect.poll(() => vim.typed.slice(before.vim.length)).toMatch(/G$/);
    await Promise.all([page, another].map((page) => page.context().close()));
  },
  WITHIN_MS,
);
