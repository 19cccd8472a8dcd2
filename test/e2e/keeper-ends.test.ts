/** What is left, and what is told, when the keeper is killed, and when its agent keeps ending. */
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { agentOf, killEarly } from '../support/kept-agent.ts';
import { familyOf, type Process } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const relays = sharedRelays();
const openWorld = async (...agentFlags: string[]) =>
  World.open({ agentProgram: BUILT_KEEPER, agentFlags }, await relays.onWorkerd());

describe.skipIf(process.env.HOLDFAST_NO_KEEPER !== undefined)('a keeper', () => {
  it.each([
    ['[F28] that is killed', (_agent: number) => {}],
    ['[F29] that is killed together with its agent', (agent: number) => process.kill(agent, 'SIGKILL')],
  ])('%s leaves no agent and no shell behind', async (_what, alsoKill) => {
    await using world = await openWorld();
    using client = await world.client();
    const { session } = await client.open();
    typeInto(session, 'sleep 300\n');
    const isSleep = ({ name }: Process) => name === 'sleep';
    await expect.poll(() => familyOf(world.agent.pid).some(isSleep)).toBe(true);
    const family = familyOf(world.agent.pid);
    const agent = agentOf(world.agent.pid) as number;
    expect(family.map(({ pid }) => pid)).toContain(agent);
    process.kill(world.agent.pid, 'SIGKILL');
    alsoKill(agent);
    expect(await world.agent.ended).toBe('SIGKILL');
    await gone(family);
  });

  it('[K6] whose programs have taken all descriptors starts another agent all the same', async () => {
    const limited = ['/bin/sh', '-c', 'ulimit -n 60; exec "$@"', 'sh', ...BUILT_KEEPER] as const;
    await using world = await World.open({ agentProgram: limited }, await relays.onWorkerd());
    using client = await world.client();
    const { session, screen } = await client.open();
    const openAll = async () => {
      for (let count = 0; count < 60; count++) await client.open('sleep', ['300']);
    };
    await expect(openAll()).rejects.toThrow(/cannot open another terminal/);
    for (const round of [1, 2]) {
      world.killAgent();
      typeInto(session, `echo again-$((${round}*7))\n`);
      await screen.sees(new RegExp(`^again-${round * 7}$`, 'm'));
    }
  });

  it('[F30] starts an agent that keeps ending with less, keeps its shells, and log, health, metrics and the relay say so', async () => {
    const port = await freePort();
    await using world = await openWorld('--health-port', `${port}`);
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'n=5; echo shell-$$-end\n');
    const [, shell] = await screen.sees(/^shell-(\d+)-end$/m);
    expect(await healthOf(port)).toMatchObject({ trouble: null });

    const logs = () => world.agentLogs.join('');
    await expect.poll(killEarly(world.agent.pid, world.agentLogs)).toBe(true);
    await expect.poll(logs).toMatch(/"level":"warn","event":"started_with_less"/);
    const why =
      /^The agent ended \d times in a row right after its start \(SIGKILL\), so it was started without/;
    await expect.poll(() => healthOf(port)).toMatchObject({ trouble: expect.stringMatching(why) });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/^holdfast_agent_started_with_less 1$/m);

    await expect
      .poll(async () => (await world.health()).agent)
      .toMatchObject({ state: 'online', trouble: expect.stringMatching(why) });

    typeInto(session, 'echo again-$((n+1))-$$\n');
    await screen.sees(new RegExp(`^again-6-${shell}$`, 'm'));
  });
});

/** Null while nothing listens. */
async function healthOf(port: number): Promise<unknown> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    (answer) => answer.json(),
    () => null,
  );
}
