/** Floods, and clients that do not keep up with them, on real workerd with a real shell. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { ScriptedPeer } from '../support/scripted-peer.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const PATIENT_AGENT = fileURLToPath(new URL('../support/patient-agent.ts', import.meta.url));

/** A client that attaches and then acknowledges nothing. */
async function stalledClient(world: World, session: string, role: ClientRole): Promise<ScriptedPeer> {
  const url = new URL(`/ws/workspaces/${world.relay.workspace}`, world.relay.url);
  const peer = await ScriptedPeer.connect(url, await world.relay.bearer(role));
  await peer.message('agent_state');
  peer.send({ type: 'reattach_session', request: 'r', session, instance: 'stalled', cols: 80, rows: 24 });
  await peer.message('scrollback');
  return peer;
}

describe('a flood', () => {
  it.each(['viewer', 'operator'] as const)(
    '[F21] [OU5] [OU10] a stalled client (%s) that is the only one does not stop the program',
    async (role) => {
      await using world = await World.open();
      const dir = mkdtempSync(join(tmpdir(), 'holdfast-flood-'));
      const client = await world.client();
      const { id } = await client.client.create({
        cols: 80,
        rows: 24,
        command: 'sh',
        args: ['-c', `read x; seq 1 400000; touch ${dir}/done; read x`],
      });
      const stalled = await stalledClient(world, id, role);
      const { session } = client.attach(id);
      typeInto(session, '\n');
      await client.until(() => session.unsentBytes === 0);
      client.client.detach(id);
      await expect.poll(() => existsSync(join(dir, 'done'))).toBe(true);
      rmSync(dir, { recursive: true });
      stalled.terminate();
    },
  );

  it('[F21] [OU10] a stalled client does not slow a fast one, and gets the current screen when it returns', async () => {
    // Otherwise a client that a busy machine has not run for two seconds would correctly count as stalled too.
    await using world = await World.open({ agentProgram: [process.execPath, PATIENT_AGENT] });
    const client = await world.client();
    const { id, session, screen } = await client.open();
    const stalled = await stalledClient(world, id, 'operator');
    typeInto(session, 'seq 1 300000; echo flood-$((1+1))\n');
    await screen.sees(/^flood-2$/m);
    expect(screen.text).toMatch(/^299999\n300000\nflood-2$/m);
    expect({ lost: session.lostBytes, resets: screen.resets }).toEqual({ lost: 0, resets: 0 });

    // It wakes up: its pending output is acknowledged at last, and it is brought back.
    const handle = session.handle ?? 0;
    const frames = stalled.unread.filter((item) => (item as { kind?: string }).kind === 'output') as {
      offset: number;
      payload: Uint8Array;
    }[];
    const last = frames.at(-1);
    const end = (last?.offset ?? 0) + (last?.payload.length ?? 0);
    // A frame larger than its window may have made it lag while it owed nothing: then it was shown a screen before.
    const isReplay = (item: unknown) => (item as { type?: string }).type === 'scrollback';
    const replay = () => stalled.message<ServerMessageOf<'scrollback'>>('scrollback');
    // The screen is parsed in a separate thread, which may be behind; a snapshot includes everything printed before
    // its request.
    stalled.send({ type: 'take_snapshot', request: 'p', session: id, format: 'text', scope: 'screen' });
    await stalled.message('snapshot_taken');
    let lost = 0;
    while (stalled.unread.some(isReplay)) lost += (await replay()).lost;
    stalled.acknowledge(handle, end);
    lost += (await replay()).lost;
    expect(lost).toBeGreaterThan(64 * 1024);
    stalled.terminate();
  });

  it('[F21] [OU13] a hidden session runs at full speed, is marked as having output, and is complete when shown', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { session, screen } = await client.open();
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-flood-'));
    typeInto(session, `read go; seq 1 400000; echo end-$((1+1)); touch ${dir}/done\n`);
    await screen.sees(/done/);
    session.setVisible(false);
    const before = await world.relay.counts();
    typeInto(session, '\n');
    await client.until(() => session.unseen === 'output' && session.unsentBytes === 0);
    await expect.poll(() => existsSync(join(dir, 'done'))).toBe(true);
    const { messages } = await world.relay.counts();
    expect(messages - before.messages, 'a key, its acknowledgement, a mark').toBeLessThan(10);
    session.setVisible(true);
    await screen.sees(/^399999\n400000\nend-2$/m);
    rmSync(dir, { recursive: true });
  });

  it('[OU9] Ctrl-C acts at once, and another session responds meanwhile', async () => {
    await using world = await World.open();
    const client = await world.client();
    const flood = await client.open();
    const other = await client.open();
    typeInto(flood.session, 'yes\n');
    await flood.screen.sees(/y\ny\ny/);
    typeInto(other.session, 'echo calm-$((1+1))\n');
    await other.screen.sees(/^calm-2$/m);
    typeInto(flood.session, '\x03');
    await flood.screen.sees(/\$$/);
    typeInto(flood.session, 'echo over-$((1+1))\n');
    await flood.screen.sees(/^over-2$/m);
  });
});
