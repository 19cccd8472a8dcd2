/**
 * `node bench/started.ts <link> [<link> …]`: measures what is already running behind links that `npm start` printed, in
 * turns with a bare switch on workerd in the same run. For comparing two versions as people run them: start each with
 * its own PORT and state directory, and give both links.
 *
 *   echo         a key and its echo at `cat` in a raw terminal: p50 and p99, and their ratio to the bare switch
 *   throughput   64 MiB printed by a program, counted by the client
 */
import './measuring/requires-proc.ts';
import { relayDial } from '../node/relay-socket.ts';
import { buildPage, buildWorker } from '../tools/build.ts';
import { BareSwitch } from './contenders/bare-switch.ts';
import { HoldfastClient } from './contenders/holdfast-client.ts';
import { type Program, shell, type Terminal } from './contenders/terminal.ts';
import { echoing, typeKeys } from './measurements/echo.ts';
import { median, pairedRatio, quantile } from './measuring/statistics.ts';

const ROUNDS = 9;
const KEYS = 200;
const MIB = 2 ** 20;
const BURST_BYTES = 64 * MIB;

/** Prints the same burst whenever a key is typed. */
const bursting: Program = shell(
  `stty raw -echo; printf ready; while [ -n "$(dd bs=1 count=1 2>/dev/null)" ]; do head -c ${BURST_BYTES} /dev/zero; done`,
);

interface Lane {
  readonly name: string;
  open(program: Program): Promise<Terminal>;
}

function lane(link: string): Lane {
  const url = new URL(link);
  const token = new URLSearchParams(url.hash.slice(1)).get('token') ?? '';
  const workspace = url.pathname.split('/').at(-1);
  const dial = relayDial(url.origin, `/ws/workspaces/${workspace}`, () => ({ ok: true, token }));
  const client = new HoldfastClient(dial);
  return {
    name: url.host,
    open: async (program) => {
      await client.online();
      return (await client.watch(await client.create(program), true)).terminal;
    },
  };
}

async function measure(
  lanes: readonly Lane[],
  program: Program,
  round: (terminal: Terminal) => Promise<number[]>,
): Promise<Map<string, number[][]>> {
  const terminals = [];
  for (const { name, open } of lanes) {
    const terminal = await open(program);
    await terminal.printed('ready');
    terminals.push({ name, terminal });
  }
  const samples = new Map(lanes.map(({ name }) => [name, [] as number[][]]));
  for (let i = 0; i <= ROUNDS; i++) {
    for (const { name, terminal } of i % 2 === 0 ? terminals : terminals.toReversed()) {
      const taken = await round(terminal);
      // The first round warms up.
      if (i > 0) samples.get(name)?.push(taken);
    }
  }
  return samples;
}

async function burst(terminal: Terminal): Promise<number[]> {
  const startedAt = performance.now();
  const printed = terminal.printedBytes(BURST_BYTES);
  terminal.type(Buffer.from('x'));
  await printed;
  return [BURST_BYTES / MIB / ((performance.now() - startedAt) / 1000)];
}

await buildPage();
await buildWorker();
const links = process.argv.slice(2).map(lane);
await using echoSwitch = await BareSwitch.start();
await using burstSwitch = await BareSwitch.start();
const bare = (contender: BareSwitch): Lane => ({
  name: 'bare switch',
  open: (program) => contender.open(program),
});

const echoes = await measure([bare(echoSwitch), ...links], echoing, (terminal) => typeKeys(terminal, KEYS));
const bursts = await measure([bare(burstSwitch), ...links], bursting, burst);
for (const [name, rounds] of echoes) {
  const at = (of: readonly number[][], q: number) => of.map((samples) => quantile(samples, q));
  const floor = echoes.get('bare switch') ?? [];
  const rates = (bursts.get(name) ?? []).flat();
  const floorRates = (bursts.get('bare switch') ?? []).flat();
  console.log(
    [
      name.padEnd(18),
      `echo p50 ${median(at(rounds, 0.5)).toFixed(2)} ms (${pairedRatio(at(rounds, 0.5), at(floor, 0.5)).toFixed(2)}×)`,
      `p99 ${median(at(rounds, 0.99)).toFixed(2)} ms (${pairedRatio(at(rounds, 0.99), at(floor, 0.99)).toFixed(2)}×)`,
      `throughput ${median(rates).toFixed(0)} MiB/s (${pairedRatio(rates, floorRates).toFixed(2)}×)`,
    ].join('   '),
  );
}
process.exit();
