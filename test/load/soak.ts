/**
 * `npx node test/load/soak.ts [-- --minutes 30]`: sessions print, are opened and closed, and connections are cut, for
 * as long as you like. Prints memory and descriptors of agent and relay over time: a slope that stays above zero is a
 * leak. The memory of a process also depends on the allocator, so every fifth minute the agent reports what it still
 * holds after a garbage collection, in each of its threads.
 */
import '../../bench/measuring/requires-proc.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { residentBytes } from '../../bench/measuring/process-cost.ts';
import { buildPage, buildWorker } from '../../tools/build.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { listenerOn, openFiles } from '../support/process-table.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import type { Memory } from './measured-agent.ts';
import { type Point, slope } from './slope.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const SAMPLE_EVERY_MS = 15_000;
const LOOK_INSIDE_EVERY_SAMPLES = 20;
const SIZE = { cols: 80, rows: 24 };
const MB = 2 ** 20;
const MEASURED_AGENT = fileURLToPath(new URL('./measured-agent.ts', import.meta.url));

type Series = 'agentMb' | 'relayMb' | 'agentFds' | 'relayFds' | 'mainHeldMb' | 'screensHeldMb';
const series = new Map<Series, Point[]>();
const startedAt = performance.now();

function note(name: Series, y: number): string {
  const points = series.get(name) ?? [];
  series.set(name, points);
  points.push({ x: (performance.now() - startedAt) / 3_600_000, y });
  return `${name} ${y.toFixed(name.endsWith('Mb') ? 1 : 0)}`;
}

const residentMb = (pid: number): number => residentBytes(pid) / 2 ** 20;

/** What the agent holds after a collection, objects and buffers together. */
async function lookInside(world: World): Promise<string> {
  const known = world.agentLogs.length;
  process.kill(world.agent.pid, 'SIGUSR2');
  for (;;) {
    const line = world.agentLogs.slice(known).find((text) => text.startsWith('memory '));
    if (line === undefined) {
      await sleep(100);
      continue;
    }
    const { main, threads } = JSON.parse(line.slice('memory '.length).split('\n')[0] ?? '') as Memory;
    const heldMb = ({ heapUsed, external }: Memory['main']) => (heapUsed + external) / MB;
    const screensMb = threads.reduce((sum, thread) => sum + heldMb(thread), 0);
    return `${note('mainHeldMb', heldMb(main))}  ${note('screensHeldMb', screensMb)}  ${line}`;
  }
}

await buildPage();
await buildWorker();
const relay = await TestRelay.onWorkerd();
const leg = await CuttingProxy.to(relay.url);
const legs = { agent: relay.url, client: leg.url };
const world = await World.open({ legs, agentProgram: [process.execPath, MEASURED_AGENT] }, relay);
const client = await world.client();
for (let i = 0; i < 5; i++) await client.open('sh', ['-c', 'while :; do date; ls -l /etc; sleep 0.2; done']);

let opened = 0;
for (let samples = 1; performance.now() < startedAt + Number(values.minutes) * 60_000; samples++) {
  for (const until = performance.now() + SAMPLE_EVERY_MS; performance.now() < until; await sleep(500)) {
    await client.online();
    const session = await client.client.create({ ...SIZE, command: 'sh' }).catch(() => null);
    if (session !== null) await client.client.close(session.id).catch(() => {});
    opened++;
  }
  leg.cut();
  const relayPid = listenerOn(Number(relay.url.port));
  const told = [
    `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
    note('agentMb', residentMb(world.agent.pid)),
    note('relayMb', residentMb(relayPid)),
    note('agentFds', openFiles(world.agent.pid).length),
    note('relayFds', openFiles(relayPid).length),
  ];
  if (samples % LOOK_INSIDE_EVERY_SAMPLES === 0) told.push(await lookInside(world));
  console.log(told.join('  '));
}
console.log(`${opened} sessions were opened and closed`);
for (const [name, points] of series) {
  const ys = points.map(({ y }) => y);
  const range = `${Math.min(...ys).toFixed(1)} to ${Math.max(...ys).toFixed(1)}`;
  console.log(`${name}: ${range}, ${slope(points).toFixed(1)} per hour in the second half`);
}
await leg[Symbol.asyncDispose]();
await world[Symbol.asyncDispose]();
process.exit();
