/** How long two promised answers take: that a program cannot be started (F19), and that a token was revoked (F25). */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../protocol/version.ts';
import { connectAgent } from '../support/relay-story.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const AGENT = fileURLToPath(new URL('../../vm-agent/main.ts', import.meta.url));
const SIZE = { cols: 80, rows: 24 };

/** Milliseconds, by request. */
export type Times = ReadonlyMap<string, readonly number[]>;

const UNSTARTABLE = {
  'no such program': { command: '/no/such/program' },
  'a file that may not be run': { command: '/etc/passwd' },
  'no such directory': { cwd: '/no/such/directory' },
  'no descriptor left': { command: 'sh' },
} as const;

/** From the client's request until it is refused, in an agent that has as many descriptors as it needs to start, and few more. */
export async function refusalTimes(rounds: number): Promise<Times> {
  const program = ['/bin/sh', '-c', `ulimit -n 48; exec ${process.execPath} ${AGENT} "$@"`, 'agent'] as const;
  await using world = await World.open({ agentProgram: program });
  const { client } = await world.client();
  const refused = (asked: object) =>
    client.create({ ...SIZE, ...asked }).then(
      () => false,
      () => true,
    );
  while (!(await refused({ command: 'sh' })));
  const times = new Map<string, number[]>();
  for (const [name, asked] of Object.entries(UNSTARTABLE)) {
    const took: number[] = [];
    times.set(name, took);
    for (let round = 0; round < rounds; round++) {
      const askedAt = performance.now();
      if (!(await refused(asked))) throw new Error(`${name}: it was started`);
      took.push(performance.now() - askedAt);
    }
  }
  return times;
}

/**
 * From the request until the holder of the token gets 4401, and until its TCP connection has ended. Several at once:
 * the relay's runtime leaves the second to `ws`, which waits for half a minute.
 */
export async function revocationTimes(clients: number): Promise<Times> {
  await using relay = await TestRelay.onWorkerd();
  await connectAgent(relay);
  const holders = await Promise.all(Array.from({ length: clients }, () => dial(relay)));
  const taken = await Promise.all(holders.map((holder) => revoke(relay, holder)));
  return new Map([
    ['told', taken.map(({ toldMs }) => toldMs)],
    ['the connection ended', taken.map(({ endedMs }) => endedMs)],
  ]);
}

interface Holder {
  readonly socket: WebSocket;
  readonly tokenId: string;
}

async function dial(relay: TestRelay): Promise<Holder> {
  const token = await relay.token('operator');
  const { jti: tokenId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const address = new URL(`/ws/workspaces/${relay.workspace}`, relay.url);
  address.protocol = 'ws:';
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, [SUBPROTOCOL], { headers, perMessageDeflate: false });
  await once(socket, 'message');
  return { socket, tokenId };
}

async function revoke(relay: TestRelay, { socket, tokenId }: Holder) {
  const address = new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url);
  const headers = await relay.bearer('operator');
  const askedAt = performance.now();
  const closed = once(socket, 'close');
  const asked = fetch(address, { method: 'POST', headers, body: JSON.stringify({ jti: tokenId }) });
  // `ws` has no event for the end of the other side, only this.
  while (socket.readyState === WebSocket.OPEN) await sleep(1);
  const toldMs = performance.now() - askedAt;
  const [code] = await closed;
  await asked;
  if (code !== 4401) throw new Error(`closed with ${code}`);
  return { toldMs, endedMs: performance.now() - askedAt };
}
