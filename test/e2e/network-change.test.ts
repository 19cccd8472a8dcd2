/** The agent's machine changes networks, like a laptop or a VM that is moved: its old connection dies silently. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NetworkNamespace, OUR_ADDRESS, whyNot } from '../support/network-namespace.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_AGENT, World } from '../support/world.ts';

const [, AGENT] = BUILT_AGENT;
const relays = sharedRelays();
const obstacle = whyNot();

/** For twenty seconds, however long starting a program takes here. */
const ROW_COUNT = 400;
const ROWS = `$|=1; for (1..${ROW_COUNT}) { print "row-$_\\n"; select(undef, undef, undef, 0.05) }`;

/** The relay, for machines on a separate network: it listens on loopback itself. */
async function doorTo(relay: URL): Promise<{ url: URL; server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(relay.port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, OUR_ADDRESS, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: new URL(`http://${OUR_ADDRESS}:${port}`), server, sockets };
}

// These tests mostly wait, so they run in parallel.
describe.runIf(obstacle === null)('a machine on its own network interface', { concurrent: true }, () => {
  it.for([
    [
      '[F12] that moves to another network and gets another address',
      (machine: NetworkNamespace) => {
        machine.pullOut();
        machine.plugIn();
      },
    ],
    [
      '[F5] whose network drops all packets for a while',
      async (machine: NetworkNamespace) => {
        machine.cutOff();
        // Longer than TCP takes to retransmit, and than the agent takes to detect the loss.
        await new Promise((resolve) => setTimeout(resolve, 15_000));
        machine.restore();
      },
    ],
  ] as const)(
    '%s: it reconnects, everybody continues, nothing is lost or duplicated',
    async ([, disturb], { expect }) => {
      const dir = mkdtempSync(join(tmpdir(), 'holdfast-cable-'));
      using machine = new NetworkNamespace();
      machine.plugIn();
      const relay = await relays.onWorkerd();
      const door = await doorTo(relay.url);
      {
        await using world = await World.open(
          {
            legs: { agent: door.url, client: relay.url },
            agentProgram: [machine.entrance(join(dir, 'enter')), AGENT],
          },
          relay,
        );
        const client = await world.client();
        const { session, screen } = await client.open();
        typeInto(session, `perl -e '${ROWS}'\n`);
        await screen.sees(/^row-20$/m);
        const before = client.client.state.name === 'live' ? client.client.state.agent.generation : 0;
        typeInto(session, 'echo typed-$((40+2))\n');
        await disturb(machine);
        await client.until(() => {
          const { state } = client.client;
          return state.name === 'live' && state.agent.state === 'online' && state.agent.generation > before;
        });
        await screen.sees(/typed-42$/m);
        const rows = [...screen.text.matchAll(/^row-(\d+)$/gm)].map(([, n]) => Number(n));
        expect(rows).toEqual(Array.from({ length: ROW_COUNT }, (__, i) => i + 1));
        expect(screen.text.match(/typed-42$/gm)).toHaveLength(1);
        expect(session.lostBytes).toBe(0);
      }
      for (const socket of door.sockets) socket.destroy();
      door.server.close();
      rmSync(dir, { recursive: true });
    },
  );
});

// Reports why the others did not run.
it.runIf(obstacle !== null)(`[F12] cannot be tested here: ${obstacle}`, () => {
  expect(obstacle).not.toBeNull();
});
