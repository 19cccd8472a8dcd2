/** The answers to a program's colour queries: a real shell behind a real relay. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DeskTerminal } from '../support/holdfast-command.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

/**
 * Queries the background until it is answered: an answer that a busy machine gives a second too late is dropped.
 * Prints its argument and the answer, without the surrounding control characters.
 */
const ASK = `
stty -icanon -echo min 0 time 20
while [ -z "$told" ]; do
  printf '\\033]11;?\\007'
  told=$(dd bs=64 count=1 2>/dev/null | tr -dc '0-9a-z:/')
done
stty sane
echo "$1 $told"
`;

/** Queries the colour scheme in the same way, and then waits to be told of another. */
const LISTEN = `
stty -icanon -echo min 0 time 20
printf '\\033[?2031h'
while [ -z "$now" ]; do
  printf '\\033[?996n'
  now=$(dd bs=64 count=1 2>/dev/null | tr -dc '0-9;n')
done
stty min 1 time 0
echo "now $now"
echo "later $(dd bs=64 count=1 2>/dev/null | tr -dc '0-9;n')"
stty sane
`;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-colours-'));
const script = join(folder, 'ask');
writeFileSync(script, ASK);
const listener = join(folder, 'listen');
writeFileSync(listener, LISTEN);
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (mark: string) => `sh ${script} ${mark}\n`;

/** The number of the question, then the colour, 16 bits a part. */
const told = (mark: string, colour: string) => {
  const parts = [1, 3, 5].map((at) => colour.slice(at, at + 2).repeat(2));
  return new RegExp(`^${mark} 11rgb:${parts.join('/')}$`, 'm');
};

it("[OU18] a program that queries colours gets those of the driver's window", async () => {
  await using world = await World.open();
  const [first, second] = [await world.client(), await world.client()];
  first.client.setTheme({ background: '#102030' });
  second.client.setTheme({ background: '#fafbfc' });
  const { id, session, screen } = await first.open();
  typeInto(session, ask('one'));
  await screen.sees(told('one', '#102030'));

  const other = second.attach(id);
  typeInto(other.session, ask('two'));
  await other.screen.sees(told('two', '#fafbfc'));

  second.client.setTheme({ background: '#334455' });
  typeInto(other.session, ask('three'));
  await other.screen.sees(told('three', '#334455'));
});

it('[OU18] `holdfast attach` reports the colours of its terminal, and types none of the answers', async () => {
  await using world = await World.open();
  const client = await world.client();
  const { id, screen } = await client.open();
  await screen.sees(/\$$/);
  const token = join(folder, 'token');
  writeFileSync(token, await world.relay.token('operator'), { mode: 0o600 });
  const env = {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN_FILE: token,
  };
  using desk = new DeskTerminal(['attach', id], env, { background: 'rgb:2121/4242/6363' });
  await desk.screen.sees(/\$$/);
  desk.presses(ask('desk'));
  await desk.screen.sees(told('desk', '#214263'));
  expect(desk.screen.text).not.toMatch(/rgb:(?!2121\/4242\/6363$)|\]11|62;|\?1;2c/m);
});

it('[OU18] the page reports the colours of its theme, and again when the system turns dark', async () => {
  await using world = await World.open();
  const context = await world.browserContext({ colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${world.pageUrl}?renderer=dom#token=${await world.relay.token('operator')}`);
  const terminal = terminalOf(page);
  await terminal.types(ask('light'));
  await terminal.shows(told('light', '#ffffff'));
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForSelector('[data-theme=dark]');
  await terminal.types(ask('dark'));
  await terminal.shows(told('dark', '#12151a'));
});

it('[T6] a program that asked for it is told when the system turns dark', async () => {
  await using world = await World.open();
  const context = await world.browserContext({ colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${world.pageUrl}?renderer=dom#token=${await world.relay.token('operator')}`);
  const terminal = terminalOf(page);
  await terminal.types(`sh ${listener}\n`);
  await terminal.shows(/^now 997;2n$/m);
  await page.emulateMedia({ colorScheme: 'dark' });
  await terminal.shows(/^later 997;1n$/m);
});
