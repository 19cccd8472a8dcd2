/**
 * From nothing to a phone with three commands: `up` here, `invite` here, and on the machine the line that it printed. The
 * long version, from the packed archive in an empty root directory, is test/first-minute/run.ts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAndContinue } from '../support/first-minute.ts';
import { DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedBrowser } from '../support/shared-browser.ts';

/** In a window of a user with this home, until the test is over. */
function running(home: string, args: readonly string[]): DeskTerminal {
  const desk = new DeskTerminal(args, { HOME: home, SHELL: '/bin/sh' }, { size: { cols: 300, rows: 40 } });
  onTestFinished(async () => {
    const family = familyOf(desk.pid);
    desk.presses('\x03');
    await gone(family);
  });
  return desk;
}

it('[J1] [J2] [J5] three commands and one carried line lead to a terminal on a phone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-first-minute-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [here, there] = [join(dir, 'here'), join(dir, 'there')];
  for (const home of [here, there]) mkdirSync(home);

  const up = running(here, ['up', '--port', '0']);
  const [, ownerLink = ''] = await up.screen.sees(
    /^To log in as the owner, once, within 10 minutes: (\S+)$/m,
  );
  const { out: carried } = await holdfast(['invite'], { env: { HOME: here } });
  const [, relay = '', code = ''] = /^holdfast join (\S+) '(#\S+)'\n$/.exec(carried) ?? [];
  const joined = running(there, ['join', relay, code, '--name', 'build-7']);
  await joined.screen.sees(/^Running\./m);

  const { desk, phone } = await openAndContinue(await sharedBrowser(), ownerLink, 'build-7');
  expect(new URL(phone.url()).pathname).toBe('/w/build-7');
  for (const page of [desk, phone]) await page.context().close();
});
