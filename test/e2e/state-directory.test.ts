/** Sessions that survive the agent: a real agent is killed, and another restores its sessions. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeadlessClient } from '../support/headless-client.ts';
import { untilKept } from '../support/kept-text.ts';
import { PROMPT, typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-state-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const kept = (text: string) => untilKept(join(dir, 'state'), text);

const open = () => World.open({ agentFlags: ['--state-dir', join(dir, 'state')] });

/** The sessions of the agent's next life. */
async function nextLife(client: HeadlessClient, generation: number): Promise<void> {
  await client.until(() => {
    const { state } = client.client;
    return state.name === 'live' && state.agent.state === 'online' && state.agent.generation >= generation;
  });
}

describe('with a state directory', () => {
  it('[R8] [R9] a killed agent restores every session: same id, name, key, old screen, a divider, a new shell', async () => {
    await using world = await open();
    const client = await world.client();
    const { id } = await client.client.create({
      cols: 80,
      rows: 24,
      name: 'build',
      key: 'k1',
      command: 'sh',
      cwd: '/tmp',
      env: { PS1: PROMPT, WHO: 'ann' },
    });
    const { session, screen } = client.attach(id);
    // Coloured, and it queries the cursor position: saved output must not query again.
    typeInto(session, "printf '\\033[31mred\\033[0m \\033[6n\\n'; echo before-$((1+1))\n");
    await screen.sees(/before-2/);
    const before = (await client.client.list())[0];
    await kept('before-2');
    await world.crashAgent();
    await nextLife(client, 2);

    const [after] = await client.client.list();
    expect(after).toMatchObject({ id, name: 'build', key: 'k1', status: 'running', cols: 80, rows: 24 });
    expect(after?.epoch).not.toBe(before?.epoch);
    const again = (await world.client()).attach(id);
    await again.screen.sees(/before-2[\s\S]*restored[\s\S]*new shell below[\s\S]*\$$/);
    typeInto(again.session, 'echo "<$WHO $(pwd)>"\n');
    await again.screen.sees(/<ann \/tmp>/);
    const [, newLife] = again.screen.text.split('new shell below');
    expect(newLife, 'what was saved asks nothing').not.toMatch(/\d+;\d+R/);
  });

  it('[R9] [D3] after a second crash, both earlier lives and both dividers are shown, and offsets continue', async () => {
    await using world = await open();
    const client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'echo first-$((1+1))\n');
    await screen.sees(/first-2/);
    await kept('first-2');
    await world.crashAgent();
    await nextLife(client, 2);
    const second = (await world.client()).attach(id);
    typeInto(second.session, 'echo second-$((1+1))\n');
    await second.screen.sees(/second-2/);
    await kept('second-2');
    await world.crashAgent();
    await nextLife(client, 3);
    const third = (await world.client()).attach(id);
    await third.screen.sees(/first-2[\s\S]*restored[\s\S]*second-2[\s\S]*restored[\s\S]*\$$/);
  });

  it('[R9] [U1] [AG12] an agent that is stopped cleanly restores its sessions too', async () => {
    await using world = await open();
    const client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'echo orderly-$((1+1))\n');
    await screen.sees(/orderly-2/);
    const ends: string[] = [];
    client.client.onNews(({ type }) => ends.push(type));
    await world.restartAgent();
    await nextLife(client, 2);
    expect(ends, 'nobody is told of the end of what comes back').toEqual([]);
    const again = (await world.client()).attach(id);
    await again.screen.sees(/orderly-2[\s\S]*restored[\s\S]*\$$/);
  });

  it('[R9] [OU8] a screen with more links than a snapshot holds excludes no client, and is restored', async () => {
    await using world = await open();
    const client = await world.client();
    const size = { cols: 240, rows: 70 };
    const { id } = await client.client.create({ ...size, command: 'sh', env: { PS1: PROMPT } });
    const link = (uri: string) => `\x1b]8;;${uri}\x1b\\`;
    const row = `${link(`http://${'a'.repeat(2070)}/`)}x\x1b[239b${link('')}\r${'y\x1b[C'.repeat(119)}`;
    const full = Array.from({ length: size.rows }, (_, n) => `\x1b[${n + 1}H${row}`).join('');
    const file = join(dir, 'hostile');
    writeFileSync(file, `${full}\x1b[?1049h${full}\x1b[H`);
    const { session, screen } = client.attach(id, {}, size);
    typeInto(session, `cat ${file}; echo linked-$((1+1))\n`);
    await screen.sees(/linked-2/);

    const fresh = await world.client();
    const again = fresh.attach(id, {}, size);
    await again.screen.sees(/linked-2[\s\S]*yxyx/);
    expect(fresh.client.state.name).toBe('live');
    await expect.poll(() => existsSync(join(dir, 'state', 'sessions', id, 'snapshot'))).toBe(true);
    await world.crashAgent();
    await nextLife(client, 2);
    await (await world.client()).attach(id, {}, size).screen.sees(/yxyx[\s\S]*new shell below[\s\S]*\$$/);
  });

  it('[R9] a session that was closed or has ended is not restored', async () => {
    await using world = await open();
    const client = await world.client();
    const closed = await client.open();
    await client.client.close(closed.id);
    const ended = await client.open('sh', ['-c', 'exit 3']);
    await client.until(() => ended.session.state.name === 'exited');
    const stays = await client.open();
    typeInto(stays.session, 'echo stays-$((1+1))\n');
    await kept('"code":3');
    await kept('stays-2');
    await world.crashAgent();
    await nextLife(client, 2);
    expect((await client.client.list()).map(({ id }) => id)).toEqual([stays.id]);
  });

  it('[AG8] a delayed close happens although the agent was killed meanwhile', async () => {
    await using world = await open();
    const client = await world.client();
    const [tab, stays] = [await client.open(), await client.open()];
    client.client.detach(tab.id);
    client.client.closeLater(tab.id, 3_000);
    await kept('"closeAt":"');
    await world.crashAgent();
    await nextLife(client, 2);
    await expect.poll(async () => (await client.client.list()).map(({ id }) => id)).toEqual([stays.id]);
  });

  it('[SEC12] the directory is readable by its owner only', async () => {
    await using world = await open();
    const { screen } = await (await world.client()).open();
    await screen.sees(/\$$/);
    await expect
      .poll(() => readdirSync(join(dir, 'state', 'sessions'), { recursive: true }).length)
      .toBeGreaterThan(1);
    const entries = readdirSync(join(dir, 'state'), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isSymbolicLink()) continue; // the lock, which is a name and has no content
      const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      if (found === undefined) continue; // rewritten meanwhile
      const mode = found.mode & 0o777;
      expect(mode, entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
  });
});
