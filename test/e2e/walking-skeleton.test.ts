import { describe, expect, it } from 'vitest';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

describe('a shell through the relay', () => {
  it('[S2] the agent dials out and runs a real shell, whose output reaches a client', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'echo $((6*7))\n');
    await screen.sees(/^42$/m);
  });

  it('[S2] output begins a row in the shells of these tests, although its command was typed before the prompt', async () => {
    await using world = await World.open();
    const { session, screen } = await (await world.client()).open();
    typeInto(session, 'sleep 0.5\necho early-$((1+1))\n');
    await screen.sees(/^early-2$/m);
  });

  it('[S2] a second client gets the earlier output, then the same bytes live', async () => {
    await using world = await World.open();
    const first = await world.client();
    const shell = await first.open();
    typeInto(shell.session, 'echo before-$((1+1))\n');
    await shell.screen.sees(/before-2/);

    const second = await world.client();
    const late = second.attach(shell.id);
    await late.screen.sees(/before-2/);
    typeInto(late.session, 'echo after-$((2+2))\n');
    await shell.screen.sees(/after-4\n\$$/);
    await late.screen.sees(/after-4\n\$$/);
    expect(late.screen.text).toBe(shell.screen.text);
  });

  it('[S1] the object keeps the registry: sessions are listed while the agent is offline', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { id } = await client.open();
    await world.agent.stop();
    await client.until(
      () => client.client.state.name === 'live' && client.client.state.agent.state === 'offline',
    );
    expect((await client.client.list()).map((session) => session.id)).toContain(id);
  });

  it('continues without loss or repetition when every socket is dropped', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { session, screen } = await client.open('sh', [
      '-c',
      'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; read x',
    ]);
    await screen.sees(/line 10$/m);
    await world.relay.kill();
    await world.relay.restart();
    await screen.sees(/line 3000$/m);
    const lines = [...screen.text.matchAll(/line (\d+)$/gm)].map(([, n]) => Number(n));
    expect(lines).toEqual(Array.from({ length: 3000 }, (_, i) => i + 1));
    expect(session.lostBytes).toBe(0);
  });
});
