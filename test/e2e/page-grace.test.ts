/** A page in a workspace with a grace period, long enough to show the countdown. */
import { expect, it } from 'vitest';
import { newTerminal, openPage, openTerminal, tabsOf } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

/** Runs in the page: at which edge of the element or of the window its text is cut off. */
function whereCut(element: HTMLElement): string {
  const text = document.createRange();
  text.selectNodeContents(element);
  const written = text.getBoundingClientRect();
  if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight)
    return 'its own';
  return written.left < 0 || written.right > innerWidth || written.top < 0 ? 'the window' : 'nowhere';
}

it('[P25] [RL15] sessions of a closed page end after the grace period; an open page keeps all its tabs; opened again, it says why the shells are new', async () => {
  // Long enough to find the countdown on a busy machine.
  await using world = await World.open({ agentFlags: ['--orphan-grace-period', '10'] });
  const page = await openTerminal(world);
  await newTerminal(page);
  const other = await world.client();
  const { id } = await other.open('sh', ['-c', 'exec sleep 1000']);
  other.client.detach(id);
  await page.getByRole('button', { name: 'Sessions' }).click();
  // The orphaned session counts down in the panel; those of the tabs do not.
  await page.getByText(/no viewers since .* · ends in 0:(0\d|10)/).waitFor();
  expect(await page.getByText(/ends in/).count()).toBe(1);
  await expect
    .poll(async () => (await world.health()).sessions)
    .toEqual({ running: 2, orphaned: 0, exited: 0 });
  await page.context().close();
  await expect
    .poll(async () => (await world.health()).sessions)
    .toEqual({ running: 0, orphaned: 0, exited: 0 });
  // Opened again, in a browser without stored data: the tabs are there, with new shells, and it says why.
  const context = await world.browserContext({ viewport: { width: 360, height: 640 } });
  const back = await openPage(world, { context });
  // On the tab's bar and as a notice.
  const note = back
    .getByText('The old shell was ended: nobody was attached for 10 s.')
    .filter({ visible: true })
    .first();
  await note.waitFor();
  expect(await note.evaluate(whereCut), 'the note on a phone').toBe('nowhere');
  expect(await tabsOf(back)).toEqual(['Terminal 1', '[Terminal 2]']);
  await terminalOf(back).prompts();
});
