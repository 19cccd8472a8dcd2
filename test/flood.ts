/**
 * `npx node test/flood.ts`: `yes` for half a minute with one fast viewer, one on a slow path (128 kB/s, 100 ms there and back)
 * and one that is stuck, on a real relay with a real agent. Prints what was measured beside what is promised, and
 * fails when a promise is broken. `-- --seconds N` makes it shorter or longer.
 *
 * The fast one is measured alone and in company by turns, so that the rest of the machine disturbs both alike.
 */
import '../bench/measuring/requires-proc.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine, load } from '../bench/measuring/machine.ts';
import { median, quantile } from '../bench/measuring/statistics.ts';
import { buildAgent, buildPage, buildWorker } from '../tools/build.ts';
import { WINDOW_MAX_BYTES } from '../vm-agent/output/credit-window.ts';
import { echoes, Flood, Laggards } from './flood/cast.ts';
import { printingMs } from './flood/hidden-page.ts';
import { MemoryWatch } from './flood/memory-watch.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { listenerOn } from './support/process-table.ts';
import { typeInto } from './support/type-into.ts';
import { World } from './support/world.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } });
const ROUNDS = 6;
const ROUND_MS = (Number(values.seconds) * 1000) / ROUNDS;
const ALONE_MS = ROUND_MS / 2;
const SLOW_BYTES_PER_SECOND = 128_000;
const ROUND_TRIP_MS = 100;
/** Until heaps reach their stable size: an agent's was measured to be constant from then on for minutes. */
const WARM_UP_MS = 20_000;
const INTERRUPTS = 5;
const HIDDEN_RUNS = 3;

interface Row {
  readonly what: string;
  readonly measured: string;
  readonly promised: string;
  readonly isKept: boolean;
}
const rows: Row[] = [];
const row = (what: string, measured: string, promised: string, isKept: boolean) =>
  rows.push({ what, measured, promised, isKept });

await buildPage();
await buildWorker();
await buildAgent();
const before = load();
await using world = await World.open();
const path = { bytesPerSecond: SLOW_BYTES_PER_SECOND, delayMs: ROUND_TRIP_MS / 2 };
await using slowPath = await CuttingProxy.to(world.relay.url, { toTarget: path, fromTarget: path });
const relayPid = listenerOn(Number(world.relay.url.port));

const flood = await Flood.open(await world.client());
const slowClient = await world.client('operator', slowPath.url);
const laggards = new Laggards(slowClient, await world.client(), flood.id);

// ── The flood ──────────────────────────────────────────────────────────────────────────────────────

await flood.start();
await laggards.join();
await sleep(WARM_UP_MS);
laggards.leave();
let isOver = false;
const typing = echoes(await world.client(), () => isOver);
const rates: { readonly alone: number; readonly together: number }[] = [];
const memory = new MemoryWatch([world.agent.pid, relayPid]);
for (let round = 0; round < ROUNDS; round++) {
  const alone = await flood.rate(ALONE_MS);
  await laggards.join();
  rates.push({ alone, together: await flood.rate(ROUND_MS) });
  if (round + 1 < ROUNDS) laggards.leave();
}
isOver = true;
const echoMs = await typing;
memory[Symbol.dispose]();

// ── Ctrl-C from the slow one ───────────────────────────────────────────────────────────────────────

const { slow, stuck } = laggards;
if (slow === undefined || stuck === undefined) throw new Error('invariant: both have joined');
const interrupts: { readonly actsMs: number; readonly seenMs: number }[] = [];
for (let n = 0; n < INTERRUPTS; n++) {
  await sleep(1500); // the flood has to be under way on the slow path, not only in the shell
  const typedAt = performance.now();
  typeInto(slow.session, '\x03');
  await flood.isAtPrompt();
  const actsMs = performance.now() - typedAt;
  await slow.screen.sees(/\$$/);
  interrupts.push({ actsMs, seenMs: performance.now() - typedAt });
  if (n + 1 < INTERRUPTS) await flood.start();
}

// ── Waking up ──────────────────────────────────────────────────────────────────────────────────────

const unparsed = Math.max(laggards.mostUnparsedBytes, stuck.screen.unparsedBytes);
stuck.screen.wake();
typeInto(flood.session, 'echo over-$((1+1))\n');
const newcomer = (await world.client()).attach(flood.id);
const screens = [newcomer.screen, slow.screen, stuck.screen];
const [oracle, ...shown] = await Promise.all(
  screens.map(async (screen) => {
    await screen.sees(/^over-2\n\$$/m);
    return screen.text.split('\n').slice(-24).join('\n');
  }),
);

// ── Nobody looks ───────────────────────────────────────────────────────────────────────────────────

const hidden: { readonly unattended: number; readonly hidden: number }[] = [];
const printer = await world.client();
for (let run = 0; run < HIDDEN_RUNS; run++)
  hidden.push({ unattended: await printingMs(printer, false), hidden: await printingMs(printer, true) });

// ── What came of it ────────────────────────────────────────────────────────────────────────────────

const ratio = median(rates.map(({ alone, together }) => together / alone));
const mebibytes = (bytesPerMs: number) => ((bytesPerMs * 1000) / 2 ** 20).toFixed(1);
const [alone, together] = [median(rates.map((r) => r.alone)), median(rates.map((r) => r.together))];
row('fast viewer, alone', `${mebibytes(alone)} MiB/s`, '–', true);
row(
  'fast viewer, in company',
  `${mebibytes(together)} MiB/s, ${ratio.toFixed(2)} of alone`,
  '≥ 0.9',
  ratio >= 0.9,
);
for (const [index, name] of ['agent', 'relay'].entries()) {
  const [growth, peak] = [memory.growthMib(index), memory.peakMib(index)];
  const bound = Math.max(16, 0.1 * peak);
  const measured = `${peak.toFixed(0)} MiB, ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} in the second half`;
  row(`memory of the ${name}`, measured, `grows by ≤ ${bound.toFixed(0)} MiB`, growth <= bound);
}
const unparsedBound = 1.25 * WINDOW_MAX_BYTES;
row(
  'waiting in the stuck viewer',
  `${(unparsed / 1024).toFixed(0)} KiB`,
  '≤ 5 MiB',
  unparsed <= unparsedBound,
);
row(
  'screens after waking up',
  `${shown.filter((screen) => screen === oracle).length} of ${shown.length} right`,
  'all',
  shown.every((screen) => screen === oracle),
);
const acts = quantile(
  interrupts.map(({ actsMs }) => actsMs),
  1,
);
const seen = median(interrupts.map(({ seenMs }) => seenMs));
row(
  'Ctrl-C of the slow viewer acts',
  `≤ ${acts.toFixed(0)} ms`,
  `≤ ${ROUND_TRIP_MS + 300} ms`,
  acts <= ROUND_TRIP_MS + 300,
);
row('… and it sees that', `${seen.toFixed(0)} ms (median)`, '–', true);
const p95 = quantile(echoMs, 0.95);
row('echo in another session, p95', `${p95.toFixed(1)} ms (${echoMs.length} keys)`, '≤ 100 ms', p95 <= 100);
const hiddenRatio = median(hidden.map((run) => run.hidden / run.unattended));
row(
  '2 000 000 lines to a hidden viewer',
  `${hiddenRatio.toFixed(2)} of the time with nobody attached`,
  '≤ 1.15',
  hiddenRatio <= 1.15,
);

console.log('| | measured | promised | |\n|---|---|---|---|');
for (const { what, measured, promised, isKept } of rows)
  console.log(
    `| ${what} | ${measured} | ${promised} | ${promised === '–' ? '' : isKept ? 'kept' : '**broken**'} |`,
  );
console.log(`\nOn ${describeMachine()}; load ${before} before, ${load()} after.`);
process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1;
