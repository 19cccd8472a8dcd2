/**
 * `npm run abuse`: runs every known attack on a real relay and a real agent, while somebody types in another workspace.
 * For each attack it prints how long a key of that person takes, and how much the memory of relay and agent grows.
 * Fails if a limit is broken. `-- --seconds N` sets how long each phase lasts, `-- --only X4` runs the attacks whose
 * name starts so.
 *
 * An attack uses the processor, which alone slows everybody on two cores. So the time of a key is compared with the
 * time while harmless processes use as much processor time: only the difference is caused by the attack.
 */
import '../measuring/requires-proc.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgent, buildPage, buildWorker } from '../../tools/build.ts';
import { shell, type Terminal } from '../contenders/terminal.ts';
import { echoing, typeKeys } from '../measurements/echo.ts';
import { childrenOf, cpuMs, residentBytes } from '../measuring/process-cost.ts';
import { quantile } from '../measuring/statistics.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { AGENT_MAX_GROWTH_MIB, ECHO_MAX_RATIO, RELAY_MAX_GROWTH_MIB } from './bounds.ts';
import { ATTACKED, Scene, VICTIM } from './scene.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const PHASE_MS = Number(values.seconds) * 1000;
const MIB = 2 ** 20;
const CORES = 2;

interface Row {
  readonly attack: Attack;
  readonly quietMs: number;
  readonly attackedMs: number;
  readonly benignMs: number;
  readonly relayMiB: number;
  readonly agentMiB: number;
  readonly cores: number;
}

await buildPage();
await buildWorker();
await buildAgent();
await using scene = await Scene.open();
const victim = await scene.operator(VICTIM);
const { terminal } = await victim.watch(await victim.create(echoing), true);
await terminal.printed('ready');
await typeKeys(terminal, 200);
const sessions = await attackedSessions();

const rows: Row[] = [];
for (const attack of ATTACKS.filter(({ id }) => id.startsWith(values.only))) {
  const row = await play(attack, terminal);
  rows.push(row);
  console.log(lineOf(row));
}
const broken = rows.filter(isBroken);
console.log(`${rows.length - broken.length} bounded, ${broken.length} broken`);
process.exitCode = broken.length === 0 ? 0 : 1;

/** A session that prints a coloured log in a wide window endlessly, and one at a prompt. */
async function attackedSessions(): Promise<{ flood: string; quiet: string }> {
  const operator = await scene.operator(ATTACKED);
  const line = "printf '\\033[1;31m%s\\033[0m \\033[4;32m%s\\033[0m %s\\n'";
  const coloured = `while :; do ${line} "$(seq -s ' ' 120)" "$(seq -s . 60)" "$(date)"; sleep 0.01; done`;
  const flood = await operator.client.create({ cols: 400, rows: 50, command: 'sh', args: ['-c', coloured] });
  const quiet = await operator.create(shell('read x'));
  return { flood: flood.id, quiet };
}

async function play(attack: Attack, person: Terminal): Promise<Row> {
  const quietMs = await keyP99(person);
  const before = { relay: residentBytes(scene.relay.pid), agent: residentBytes(scene.attackedAgent.pid) };
  const most = { ...before };
  const watch = setInterval(() => {
    most.relay = Math.max(most.relay, residentBytes(scene.relay.pid));
    most.agent = Math.max(most.agent, residentBytes(scene.attackedAgent.pid));
  }, 50);
  const idle = usedMs([scene.relay.pid, scene.attackedAgent.pid]);
  const target = await scene.target(sessions);
  const attacker = start('attacker.ts', attack.id, JSON.stringify(target));
  await pause(500);
  const startedAt = performance.now();
  const attackedMs = await keyP99(person);
  const used = usedMs([scene.relay.pid, scene.attackedAgent.pid, attacker.pid ?? 0]) - idle;
  const cores = Math.min(CORES, used / (performance.now() - startedAt + 500));
  await end(attacker);
  await closeStrays();
  clearInterval(watch);
  const benign = Array.from({ length: CORES }, () =>
    start('benign-load.ts', String(Math.min(0.99, cores / CORES))),
  );
  await pause(500);
  const benignMs = await keyP99(person);
  for (const child of benign) await end(child);
  await pause(500);
  return {
    attack,
    quietMs,
    attackedMs,
    benignMs,
    relayMiB: (most.relay - before.relay) / MIB,
    agentMiB: (most.agent - before.agent) / MIB,
    cores,
  };
}

async function keyP99(person: Terminal): Promise<number> {
  const until = performance.now() + PHASE_MS;
  const samples: number[] = [];
  while (performance.now() < until) samples.push(...(await typeKeys(person, 20)));
  return quantile(samples, 0.99);
}

/** What an attack has left running on the attacked machine. */
async function closeStrays(): Promise<void> {
  const operator = await scene.operator(ATTACKED);
  const ours = new Set([sessions.flood, sessions.quiet]);
  const all = await operator.client.list();
  for (const { id } of all) if (!ours.has(id)) await operator.client.close(id).catch(() => {});
  operator[Symbol.dispose]();
}

function start(file: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'ignore', 'ignore'] });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill('SIGKILL')) await ended;
}

/** Of these processes and all their descendants, so far. */
function usedMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const { main, others } = cpuMs(pid);
      return sum + main + others + usedMs(childrenOf(pid));
    } catch {
      return sum; // it has ended
    }
  }, 0);
}

function isBroken({ attackedMs, benignMs, relayMiB, agentMiB }: Row): boolean {
  return (
    attackedMs > ECHO_MAX_RATIO * benignMs ||
    relayMiB > RELAY_MAX_GROWTH_MIB ||
    agentMiB > AGENT_MAX_GROWTH_MIB
  );
}

function lineOf(row: Row): string {
  const { attack, quietMs, attackedMs, benignMs, relayMiB, agentMiB, cores } = row;
  const key = `key p99 ${quietMs.toFixed(1)} ms quiet, ${attackedMs.toFixed(1)} attacked, ${benignMs.toFixed(1)} beside as much harmless load (${(attackedMs / benignMs).toFixed(2)}×)`;
  const memory = `memory relay +${relayMiB.toFixed(0)} MiB, agent +${agentMiB.toFixed(0)} MiB`;
  return `${isBroken(row) ? 'BROKEN ' : ''}${attack.id.padEnd(13)} ${key}; ${memory}; ${cores.toFixed(2)} cores · ${attack.what}`;
}
