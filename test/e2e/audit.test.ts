/** Two operators with names and a viewer on a real machine: the trail, the command line and the sessions panel agree. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditPage } from '../../protocol/audit.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { endSessions } from '../support/page-story.ts';
import { bytes } from '../support/relay-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const minted = (name: string, role: ClientRole = 'operator') => world.relay.mint({ role, name });

async function joins(name: string, role: ClientRole = 'operator') {
  const client = world.unattended(await minted(name, role));
  await client.online();
  return client;
}

async function command(name: string, args: string[], role: ClientRole = 'operator') {
  return holdfast(args, {
    env: {
      HOLDFAST_RELAY: world.relay.url.href,
      HOLDFAST_WORKSPACE: world.relay.workspace,
      HOLDFAST_TOKEN: await minted(name, role),
    },
  });
}

/** What the trail says of a session, oldest first. */
async function trail(session: string): Promise<string[]> {
  const { code, out } = await command('Auditor', ['audit', '--session', session, '--json']);
  expect(code).toBe(0);
  const { entries } = JSON.parse(out) as AuditPage;
  return entries.map(({ who, action }) => `${who?.name} ${who?.client} ${action}`).toReversed();
}

describe('the audit trail', () => {
  it('[SEC18] [AU1] [AU5] distinguishes two operators and a viewer by their own connections', async () => {
    const [ada, ben, vera] = [await joins('Ada'), await joins('Ben'), await joins('Vera', 'viewer')];
    const { id } = await ada.client.create({ cols: 80, rows: 24, name: 'shared' });
    const [byAda, byBen] = [ada.attach(id), ben.attach(id)];
    const byVera = vera.attach(id);
    await Promise.all([byAda, byBen, byVera].map(({ screen }) => screen.sees(/[#$]/)));
    byAda.session.type(bytes('echo from-$((20+1))\r'));
    await byBen.screen.sees(/from-21/);
    byBen.session.type(bytes('echo from-$((20+2))\r'));
    await byVera.screen.sees(/from-22/);
    byVera.session.type(bytes('echo never\r'));
    byBen.session.takeOver();
    await expect.poll(() => trail(id)).toContain('Ben client took_over');
    await ben.client.close(id);
    const told = await trail(id);
    expect(told[0]).toBe('Ada client created');
    expect(told.slice(1, 4).sort()).toEqual([
      'Ada client attached',
      'Ben client attached',
      'Vera client attached',
    ]);
    expect(told.slice(4)).toEqual([
      'Ada client typed',
      'Ben client typed',
      'Ben client took_over',
      'Ben client closed',
    ]);
  });

  it('[SEC18] [AU1] names a viewer that reads a session over HTTP without attaching', async () => {
    const ada = await joins('Ada');
    const { id } = await ada.client.create({ cols: 80, rows: 24, name: 'read' });
    const snapshot = new URL(
      `/api/workspaces/${world.relay.workspace}/sessions/${id}/snapshot?format=text`,
      world.relay.url,
    );
    const headers = { Authorization: `Bearer ${await minted('Vera', 'viewer')}` };
    expect((await fetch(snapshot, { headers })).status).toBe(200);
    expect(await trail(id)).toEqual(['Ada client created', 'Vera api attached']);
    await ada.client.close(id);
  });

  it('[AU6] [AU7] is printed as a table on the command line, for operators only', async () => {
    const made = await command('Cleo', ['new', '--name', 'listed', '--', 'cat']);
    await command('Cleo', ['send', 'listed', 'a secret', '--enter']);
    const { out, code } = await command('Cleo', ['audit', '--session', 'listed', '--since', '1h']);
    expect(code).toBe(0);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1));
    expect(rows[0]).toEqual(['WHO', 'ROLE', 'CLIENT', 'DID', 'SESSION', 'DETAIL']);
    expect(rows[1]).toEqual(['Cleo', 'operator', 'cli', 'created', 'listed', 'listed']);
    expect(rows).toContainEqual(['Cleo', 'operator', 'cli', 'typed', 'listed', '-']);
    expect(out).not.toContain('secret');
    expect(
      await command('Cleo', ['audit', '--session', made.out.trim().slice(0, 8), '--limit', '1']),
    ).toMatchObject({
      code: 0,
      err: expect.stringMatching(/older entries/),
    });
    const refused = await command('Vera', ['audit'], 'viewer');
    expect([refused.code, refused.err]).toEqual([77, expect.stringMatching(/role viewer may not/)]);
  });

  it('[AU5] the sessions panel says who typed last; typing over HTTP counts', async () => {
    await endSessions(world);
    const context = await world.browserContext();
    const page = await context.newPage();
    await page.goto(readable(`${world.pageUrl}#token=${await minted('Ada <b>L.</b>')}`));
    await terminalOf(page).prompts();
    await terminalOf(page).types('echo $((40+2))\n');
    await terminalOf(page).shows(/42/);
    await page.keyboard.press('Alt+Shift+S');
    await page.getByText(/^Last input: Ada <b>L\.<\/b> · (?:.+, )?\d\d:\d\d$/).waitFor();
    const sessions = await (await joins('Reader', 'viewer')).client.list();
    const shown = sessions.find(({ typedBy }) => typedBy === 'Ada <b>L.</b>');
    const typed = await fetch(
      new URL(`/api/workspaces/${world.relay.workspace}/sessions/${shown?.id}/input`, world.relay.url),
      {
        method: 'POST',
        headers: { Authorization: `Bearer ${await minted('Script')}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ data: ':\r' }),
      },
    );
    expect(typed.status).toBe(200);
    await page.getByText(/^Last input: Script · (?:.+, )?\d\d:\d\d$/).waitFor();
    expect(await trail(shown?.id ?? '')).toEqual(
      expect.arrayContaining(['Ada <b>L.</b> page typed', 'Script api typed']),
    );
    await context.close();
  });
});
