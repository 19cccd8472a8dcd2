/** Clients of every kind while the agent process is killed: streams, waiting requests, and the command line. */
import { describe, expect, it } from 'vitest';
import { DeskTerminal } from '../support/holdfast-command.ts';
import { hasProc } from '../support/needs-proc.ts';
import { World } from '../support/world.ts';
import { LINES, line, Reader, typeOnce } from './stream-reader.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;

describe.skipIf(!hasKeeper)('an agent that is killed', () => {
  it('[K2] cuts no stream of events, and repeats nothing in it', async () => {
    await using world = await World.open();
    const api = await world.api();
    const reader = await Reader.start(api);
    const stream = await reader.reconnect();
    for (const round of [1, 2, 3]) {
      await typeOnce(api, reader.id, `chunk-${round}`);
      world.killAgent();
      await reader.readUntil(stream, round * LINES);
    }
    expect(reader.text).toBe(Array.from({ length: 3 * LINES }, (_, i) => line(i + 1)).join(''));
  });

  it('[K2] [K3] does not end a request that waits for the end of a program', async () => {
    await using world = await World.open();
    const api = await world.api();
    const { id } = await api.create({ args: ['-c', 'read go; exit 5'] });
    const ended = api.ask('GET', `/sessions/${id}/wait?for=exit`);
    world.killAgent();
    await typeOnce(api, id, 'go');
    expect(await ended).toMatchObject({ status: 200, body: { exitCode: 5 } });
  });

  it('[K2] detaches no `holdfast attach`', async () => {
    await using world = await World.open();
    const api = await world.api();
    const { id } = await api.create();
    const env = {
      HOLDFAST_RELAY: world.relay.url.href,
      HOLDFAST_WORKSPACE: world.relay.workspace,
      HOLDFAST_TOKEN: await world.relay.token('operator'),
    };
    using desk = new DeskTerminal(['attach', id], env);
    desk.presses('n=5; echo ready-$n\n');
    await desk.screen.sees(/^ready-5$/m);
    world.killAgent();
    desk.presses('echo again-$((n+1))\n');
    await desk.screen.sees(/^again-6$/m);
  });
});
