/**
 * `npm run soak [-- --minutes 30]`: sessions print, come and go, and connections are cut, for as long as you like. Prints how memory and
 * descriptors of agent and relay move: a slope that stays above zero is a leak.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildPage, buildWorker } from '../../cli/build.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { listenerOn, openFiles } from '../support/process-table.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const SAMPLE_EVERY_MS = 15_000;
const SIZE = { cols: 80, rows: 24 };

interface Sample {
  readonly hours: number;
  readonly agentMb: number;
  readonly relayMb: number;
  readonly agentFds: number;
  readonly relayFds: number;
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Least squares, over the second half: the first is for what is loaded on demand. */
function slope(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const [x, y] = [mean(late.map(({ hours }) => hours)), mean(late.map(of))];
  const over = late.reduce((sum, sample) => sum + (sample.hours - x) * (of(sample) - y), 0);
  return over / late.reduce((sum, sample) => sum + (sample.hours - x) ** 2, 0);
}

await buildPage();
await buildWorker();
const relay = await TestRelay.start();
const leg = await CuttingProxy.to(relay.url);
const world = await World.open({ legs: { agent: relay.url, client: leg.url } }, relay);
const client = await world.client();
for (let i = 0; i < 5; i++) await client.open('sh', ['-c', 'while :; do date; ls -l /etc; sleep 0.2; done']);

const samples: Sample[] = [];
const startedAt = performance.now();
const endsAt = startedAt + Number(values.minutes) * 60_000;
while (performance.now() < endsAt) {
  for (const until = performance.now() + SAMPLE_EVERY_MS; performance.now() < until; await sleep(500)) {
    await client.online();
    const session = await client.client.create({ ...SIZE, command: 'sh' }).catch(() => null);
    if (session !== null) await client.client.close(session.id).catch(() => {});
  }
  leg.cut();
  const relayPid = listenerOn(Number(relay.url.port));
  const sample = {
    hours: (performance.now() - startedAt) / 3_600_000,
    agentMb: residentMb(world.agent.pid),
    relayMb: residentMb(relayPid),
    agentFds: openFiles(world.agent.pid).length,
    relayFds: openFiles(relayPid).length,
  };
  samples.push(sample);
  console.log(
    Object.entries(sample)
      .map(([name, value]) => `${name} ${value.toFixed(name === 'hours' ? 3 : 0)}`)
      .join('  '),
  );
}
console.log(
  `agent: ${slope(samples, ({ agentMb }) => agentMb).toFixed(1)} MB and ${slope(samples, ({ agentFds }) => agentFds).toFixed(1)} descriptors per hour`,
);
console.log(
  `relay: ${slope(samples, ({ relayMb }) => relayMb).toFixed(1)} MB and ${slope(samples, ({ relayFds }) => relayFds).toFixed(1)} descriptors per hour`,
);
await leg[Symbol.asyncDispose]();
await world[Symbol.asyncDispose]();
process.exit();
