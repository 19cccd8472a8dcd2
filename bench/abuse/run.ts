/**
 * `npm run abuse`: runs every known attack on a real relay and a real agent, while somebody types in another workspace.
 * For each attack it prints how long a key of that person takes, and how much the memory of relay and agent grows.
 * Fails if a limit is broken. `-- --seconds N` sets how long each phase lasts, `-- --only X4` runs the attacks whose
 * name starts so.
 *
 * An attack uses the processor, which alone slows everybody on two cores. So the time of a key is compared with that of
 * the same person under two loads of the same size that do not touch this relay: harmless processes, one for each thread
 * of the attack, with that thread's average share of the processor; and the same attack on another relay of this
 * machine. The first is constant even if an attack comes in bursts; the second has the same bursts. What exceeds both is
 * caused by the relay.
 */
import '../measuring/requires-proc.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgent, buildPage, buildWorker } from '../../tools/build.ts';
import type { Terminal } from '../contenders/terminal.ts';
import { echoing, typeKeys } from '../measurements/echo.ts';
import { childrenOf, residentBytes, residentBytesOf, threadCpuMs } from '../measuring/process-cost.ts';
import { quantile } from '../measuring/statistics.ts';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { AGENT_MAX_GROWTH_MIB, ECHO_MAX_RATIO, RELAY_MAX_GROWTH_MIB } from './bounds.ts';
import { Scene, VICTIM } from './scene.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const PHASE_MS = Number(values.seconds) * 1000;
const MIB = 2 ** 20;
const IDLE_LOOK_MS = 500;
const IDLE_LOOKS_MAX = 40;
/** The attacked machine has a program that prints all the time. */
const IDLE_MAX_CORES = 0.15;
/** From the start of a load to the first key that is counted. */
const SETTLE_MS = 500;

/** A thread that uses less of the processor than this is not copied into the harmless load. */
const LEAST_SHARE = 0.01;

interface Row {
  readonly attack: Attack;
  readonly quietMs: number;
  readonly attackedMs: number;
  readonly harmlessMs: number;
  readonly elsewhereMs: number;
  readonly relayMiB: number;
  readonly agentMiB: number;
  readonly cores: number;
}

await buildPage();
await buildWorker();
await buildAgent();
await using scene = await Scene.open();
await using elsewhere = await Scene.open();
const victim = await scene.operator(VICTIM);
const { terminal } = await victim.watch(await victim.create(echoing), true);
await terminal.printed('ready');
await typeKeys(terminal, 200);

const rows: Row[] = [];
for (const attack of ATTACKS.filter(({ id }) => id.startsWith(values.only))) {
  const row = await play(attack, terminal);
  rows.push(row);
  console.log(lineOf(row));
}
const broken = rows.filter(isBroken);
console.log(`${rows.length - broken.length} bounded, ${broken.length} broken`);
process.exitCode = broken.length === 0 ? 0 : 1;

async function play(attack: Attack, person: Terminal): Promise<Row> {
  const [target, targetElsewhere] = [await scene.target(attack), await elsewhere.target(attack)];
  await untilIdle();
  const quietMs = await keyP99(person);
  const before = { relay: residentBytes(scene.relay.pid), agent: residentBytesOf(scene.attackedAgent.pids) };
  const most = { ...before };
  const watch = setInterval(() => {
    most.relay = Math.max(most.relay, residentBytes(scene.relay.pid));
    most.agent = Math.max(most.agent, residentBytesOf(scene.attackedAgent.pids));
  }, 50);
  const pids = [scene.relay.pid, ...scene.attackedAgent.pids];
  const idle = threadsMs(pids);
  const attacker = start('attacker.ts', attack.id, JSON.stringify(target));
  await pause(SETTLE_MS);
  const startedAt = performance.now();
  const attackedMs = await keyP99(person);
  const elapsedMs = performance.now() - startedAt + SETTLE_MS;
  const shares = loadShares(idle, threadsMs([...pids, attacker.pid ?? 0]), elapsedMs);
  await end(attacker);
  await scene.closeStrays();
  clearInterval(watch);
  const harmlessMs = await keyP99Beside(
    person,
    shares.map((share) => start('benign-load.ts', String(share))),
  );
  const elsewhereMs = await keyP99Beside(person, [
    start('attacker.ts', attack.id, JSON.stringify(targetElsewhere)),
  ]);
  await elsewhere.closeStrays();
  await pause(SETTLE_MS);
  return {
    attack,
    quietMs,
    attackedMs,
    harmlessMs,
    elsewhereMs,
    relayMiB: (most.relay - before.relay) / MIB,
    agentMiB: (most.agent - before.agent) / MIB,
    cores: shares.reduce((sum, share) => sum + share, 0),
  };
}

/** The relay works off what it has received for some seconds after an attacker has gone; the next one begins without it. */
async function untilIdle(): Promise<void> {
  const sharesNow = async () => {
    const before = threadsMs([scene.relay.pid, ...scene.attackedAgent.pids]);
    await pause(IDLE_LOOK_MS);
    return loadShares(before, threadsMs([scene.relay.pid, ...scene.attackedAgent.pids]), IDLE_LOOK_MS);
  };
  for (let looks = 0; looks < IDLE_LOOKS_MAX; looks++) {
    const shares = await sharesNow();
    if (shares.reduce((sum, share) => sum + share, 0) < IDLE_MAX_CORES) return;
  }
  console.log('The relay or the agent is still busy with the last attack.');
}

async function keyP99Beside(person: Terminal, load: readonly ChildProcess[]): Promise<number> {
  await pause(SETTLE_MS);
  const p99 = await keyP99(person);
  for (const child of load) await end(child);
  return p99;
}

async function keyP99(person: Terminal): Promise<number> {
  const until = performance.now() + PHASE_MS;
  const samples: number[] = [];
  while (performance.now() < until) samples.push(...(await typeKeys(person, 20)));
  return quantile(samples, 0.99);
}

function start(file: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'ignore', 'ignore'] });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill('SIGKILL')) await ended;
}

/** Processor milliseconds that each thread of these processes and of their descendants has used so far. */
function threadsMs(pids: readonly number[]): Map<number, number> {
  const used = new Map<number, number>();
  for (const pid of pids) {
    try {
      for (const [thread, ms] of threadCpuMs(pid)) used.set(thread, ms);
      for (const [thread, ms] of threadsMs(childrenOf(pid))) used.set(thread, ms);
    } catch {
      // the process has ended
    }
  }
  return used;
}

/** The share of the processor that each thread used between two readings. */
function loadShares(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  elapsedMs: number,
): number[] {
  const shares = [...after].map(([thread, ms]) => (ms - (before.get(thread) ?? 0)) / elapsedMs);
  return shares.filter((share) => share >= LEAST_SHARE).map((share) => Math.min(0.99, share));
}

function ratioOf({ attackedMs, harmlessMs, elsewhereMs }: Row): number {
  return attackedMs / Math.max(harmlessMs, elsewhereMs);
}

function isBroken(row: Row): boolean {
  const { relayMiB, agentMiB } = row;
  return ratioOf(row) > ECHO_MAX_RATIO || relayMiB > RELAY_MAX_GROWTH_MIB || agentMiB > AGENT_MAX_GROWTH_MIB;
}

function lineOf(row: Row): string {
  const { attack, quietMs, attackedMs, harmlessMs, elsewhereMs, relayMiB, agentMiB, cores } = row;
  const loads = `${harmlessMs.toFixed(1)} with as much harmless load, ${elsewhereMs.toFixed(1)} with the attack on another relay`;
  const key = `key p99 ${quietMs.toFixed(1)} ms quiet, ${attackedMs.toFixed(1)} attacked, ${loads} (${ratioOf(row).toFixed(2)}×)`;
  const memory = `memory relay +${relayMiB.toFixed(0)} MiB, agent +${agentMiB.toFixed(0)} MiB`;
  return `${isBroken(row) ? 'BROKEN ' : ''}${attack.id.padEnd(13)} ${key}; ${memory}; ${cores.toFixed(2)} cores · ${attack.what}`;
}
