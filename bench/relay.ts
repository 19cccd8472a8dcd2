/**
 * `npx node bench/relay.ts`: what the relay adds to a bare switch. Both run on the same workerd with the same
 * settings: ours, and an object that sends whatever one of its two sockets says to the other. Rounds of the two
 * alternate, so that whatever else this machine does meets both.
 *
 *   latency      a key and its echo: client → object → agent → object → client, one after the other
 *   throughput   output from the agent to one client, as fast as it is taken
 */
import './measuring/requires-proc.ts';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { mintToken } from '../cli/relay/mint-token.ts';
import { type Relay, startRelay } from '../cli/relay/relay.ts';
import { encodeFrame } from '../protocol/frame.ts';
import { SUBPROTOCOL } from '../protocol/version.ts';
import { buildPage, buildWorker } from '../tools/build.ts';
import { startSwitch } from './contenders/switch-relay.ts';
import { pairedRatio, quantile } from './measuring/statistics.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const TRIPS = 250;
const SMALL = { name: '100 B frames', payload: 100, frames: 2_000 };
const LARGE = { name: '64 KiB frames', payload: 65_536, frames: 150 };
const HANDLE = 7;
const SECRET = 'a secret for benchmarks that has more than thirty-two bytes';
const GOAL = 1.25;

interface Switch {
  readonly name: string;
  readonly agent: WebSocket;
  readonly client: WebSocket;
  /** Of each round. */
  readonly latenciesMs: number[][];
  readonly rates: Map<string, number[]>;
  stop(): Promise<void>;
}

function dial(base: URL, path: string, token: string): Promise<WebSocket> {
  const url = new URL(path, base);
  url.protocol = 'ws:';
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, SUBPROTOCOL, { headers, perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

const nextFrame = (socket: WebSocket): Promise<Buffer> =>
  new Promise((resolve) => {
    const listen = (data: Buffer, isBinary: boolean) => {
      if (!isBinary) return;
      socket.off('message', listen);
      resolve(data);
    };
    socket.on('message', listen);
  });

async function start(name: string, relay: Relay, attach: boolean): Promise<Switch> {
  const { url } = relay;
  const token = (role: 'agent' | 'operator') =>
    mintToken({ workspace: 'test', role, lifetimeSeconds: 3600 }, SECRET);
  const agent = await dial(url, '/ws/agent/test', await token('agent'));
  if (attach)
    agent.send(JSON.stringify({ type: 'hello', version: 1, epoch: 'e', sessions: [], more: false }));
  const client = await dial(url, '/ws/workspaces/test', await token('operator'));
  if (attach) await subscribe(agent, client);
  // Heartbeats, as real peers send them: they are part of the comparison.
  const beat = setInterval(() => [agent, client].map((socket) => socket.send('ping')), 5_000);
  const stop = async () => {
    clearInterval(beat);
    agent.close();
    client.close();
    await relay.stop();
  };
  return { name, agent, client, latenciesMs: [], rates: new Map(), stop };
}

/** As after an attach: the client watches the one session, and the agent knows its channel. */
async function subscribe(agent: WebSocket, client: WebSocket): Promise<void> {
  client.send(encodeFrame({ kind: 'input', channel: 0, handle: HANDLE, offset: 0 }, new Uint8Array(1)));
  const channel = (await nextFrame(agent)).readUInt32BE(4);
  agent.send(JSON.stringify({ type: 'subscribe', channel, handle: HANDLE }));
}

async function latency({ agent, client, latenciesMs }: Switch): Promise<void> {
  const echo = encodeFrame({ kind: 'output', channel: 0, handle: HANDLE, offset: 0 }, new Uint8Array(8));
  const answer = (_: Buffer, isBinary: boolean) => isBinary && agent.send(echo);
  agent.on('message', answer);
  const trips: number[] = [];
  for (let trip = 0; trip < TRIPS; trip++) {
    const began = performance.now();
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: HANDLE, offset: trip }, new Uint8Array(8)));
    await nextFrame(client);
    trips.push(performance.now() - began);
  }
  agent.off('message', answer);
  latenciesMs.push(trips);
}

async function throughput({ agent, client, rates }: Switch, load: typeof SMALL): Promise<void> {
  const frame = encodeFrame(
    { kind: 'output', channel: 0, handle: HANDLE, offset: 0 },
    new Uint8Array(load.payload),
  );
  let received = 0;
  const done = new Promise<void>((resolve) => {
    const count = (_: Buffer, isBinary: boolean) => {
      if (!isBinary || ++received < load.frames) return;
      client.off('message', count);
      resolve();
    };
    client.on('message', count);
  });
  const began = performance.now();
  for (let sent = 0; sent < load.frames; sent++) agent.send(frame);
  await done;
  const rate = load.frames / ((performance.now() - began) / 1000);
  rates.set(load.name, [...(rates.get(load.name) ?? []), rate]);
}

function forget({ latenciesMs, rates }: Switch): void {
  latenciesMs.length = 0;
  rates.clear();
}

function report(ours: Switch, bare: Switch): void {
  const verdict = (ratio: number) => `${ratio.toFixed(2)}× ${ratio <= GOAL ? 'within' : 'OVER'} ${GOAL}×`;
  for (const [label, q] of [
    ['latency p50', 0.5],
    ['latency p99', 0.99],
  ] as const) {
    const [mine, theirs] = [ours, bare].map((one) => one.latenciesMs.map((trips) => quantile(trips, q))) as [
      number[],
      number[],
    ];
    console.log(
      `${label.padEnd(28)} ours ${quantile(mine, 0.5).toFixed(3)} ms   bare ${quantile(theirs, 0.5).toFixed(3)} ms   ${verdict(pairedRatio(mine, theirs))}`,
    );
  }
  for (const { name, payload } of [SMALL, LARGE]) {
    const [mine, theirs] = [ours, bare].map(({ rates }) => quantile(rates.get(name) ?? [], 0.5)) as [
      number,
      number,
    ];
    const size = (rate: number) => `${Math.round(rate)}/s, ${((rate * payload) / 2 ** 20).toFixed(1)} MiB/s`;
    console.log(
      `${`throughput ${name}`.padEnd(28)} ours ${size(mine)}   bare ${size(theirs)}   ${verdict(pairedRatio(bare.rates.get(name) ?? [], ours.rates.get(name) ?? []))}`,
    );
  }
}

await buildPage();
await buildWorker();
const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
const directory = async (name: string) => {
  await mkdir(join(stateDir, name));
  return join(stateDir, name);
};
const product = await startRelay({
  host: '127.0.0.1',
  port: 0,
  stateDir: await directory('ours'),
  secret: SECRET,
});
const ours = await start('ours', product, true);
const bare = await start('bare', await startSwitch(await directory('bare')), false);
try {
  for (let round = 0; round <= ROUNDS; round++) {
    // The starting order alternates too. The first round warms up and is discarded.
    for (const one of round % 2 === 0 ? [ours, bare] : [bare, ours]) {
      await latency(one);
      await throughput(one, SMALL);
      await throughput(one, LARGE);
    }
    if (round === 0) for (const one of [ours, bare]) forget(one);
  }
  console.log(
    `${ROUNDS} alternating rounds of ${TRIPS} trips, ${SMALL.frames} small and ${LARGE.frames} large frames:`,
  );
  report(ours, bare);
} finally {
  await ours.stop();
  await bare.stop();
  await rm(stateDir, { recursive: true, force: true });
}
