/** What a shell can learn about the agent that started it, and whether the agent can be reached from outside. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HeadlessClient } from '../support/headless-client.ts';
import { listeningSockets } from '../support/listening-sockets.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const TAINTED_AGENT = fileURLToPath(new URL('../support/tainted-agent.ts', import.meta.url));

describe('the agent', () => {
  it.skipIf(!hasProc)(
    `[SEC12] listens on no socket, or with a health port on loopback only${unlessProc}`,
    async () => {
      await using world = await World.open();
      await world.client();
      expect(listeningSockets(world.agent.pid)).toEqual([]);

      const port = 20_000 + ((process.pid + 7_000) % 20_000);
      await using watched = await World.open({ agentFlags: ['--health-port', String(port)] });
      await watched.client();
      await expect.poll(() => listeningSockets(watched.agent.pid)).toEqual([`127.0.0.1:${port}`]);
    },
  );
});

describe('a shell', () => {
  it.skipIf(!hasProc)(
    `[SEC9] [SEC2] finds the token in no environment, argument or open file of its own or of the agent${unlessProc}`,
    async () => {
      await using world = await World.open();
      const client = await world.client();
      await client.open();
      const { session, screen } = await client.open();
      // The head of every token that the relay's own secret signs.
      const [head = ''] = (await world.relay.token('agent')).split('.');
      const look = [
        'env',
        'cat /proc/$PPID/environ /proc/$PPID/cmdline',
        'cat /proc/self/environ /proc/self/cmdline',
        'for fd in /proc/self/fd/*; do readlink $fd; done',
      ].join('; ');
      typeInto(
        session,
        `echo found-$( { ${look}; } 2>/dev/null | tr '\\0' '\\n' | grep -c '${head.slice(0, 12)}''${head.slice(12)}')-end\n`,
      );
      await screen.sees(/^found-0-end$/m);
      // Nothing but the terminal, and the pipe of the question itself.
      typeInto(
        session,
        "echo open-$(for fd in /proc/$$/fd/*; do readlink $fd; done | grep -vcE '^(/dev/(pts/|tty$)|pipe:)')-end\n",
      );
      await screen.sees(/^open-0-end$/m);
    },
  );

  it('[SEC9] gets only the listed variables from the environment of the agent', async () => {
    await using world = await World.open({ agentProgram: [process.execPath, TAINTED_AGENT] });
    const client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'echo leaked-$(env | grep -c CANARY)-home-$(env | grep -c ^HOME=)-end\n');
    await screen.sees(/^leaked-0-home-1-end$/m);
  });

  it.skipIf(!hasProc)(
    `[SEC9] has descriptors 0 to 2, and no variable that tells of its keeper${unlessProc}`,
    async () => {
      await using world = await World.open({ agentProgram: BUILT_KEEPER });
      const client = await world.client();
      // The terminal of a session that was closed leaves a gap below those of others.
      const first = await client.open();
      await client.open();
      await client.client.close(first.id);
      // An interactive shell opens more for its prompt; this one has only what it was given.
      const script = 'ls -1 /proc/$$/fd; env | grep -c KEEPER; echo the-end; read x';
      const { screen } = await client.open('sh', ['-c', script]);
      await screen.sees(/^0\n1\n2\n0\nthe-end$/m);
    },
  );

  it('[SEC6] cannot use the id of a session of another workspace', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { id } = await client.open();
    const stranger = new HeadlessClient(
      world.relay.url,
      'elsewhere',
      await world.relay.token('operator', 'elsewhere'),
    );
    await stranger.until(() => stranger.client.state.name === 'live');
    expect(await stranger.client.list()).toEqual([]);
    const answer = await fetch(new URL(`/api/workspaces/elsewhere/sessions/${id}`, world.relay.url), {
      headers: await world.relay.bearer('operator', 'elsewhere'),
    });
    expect(answer.status).toBe(404);
    stranger[Symbol.dispose]();
  });
});
