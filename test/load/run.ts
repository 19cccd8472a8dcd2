/**
 * `npx node test/load/run.ts [-- --short] [--only herd|churn|busy|answers]`: busy sessions, idle clients, sessions
 * opened and closed, and the time until refusals arrive. Prints the results.
 */
import '../../bench/measuring/requires-proc.ts';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from '../../bench/measuring/statistics.ts';
import { buildPage, buildWorker } from '../../tools/build.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import { refusalTimes, revocationTimes, type Times } from './answers.ts';
import { runBusy } from './busy.ts';
import { churn } from './churn.ts';
import { crowdedShare, runHerd } from './herd.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const isWanted = (part: string) => values.only === undefined || values.only === part;
const scale = values.short ? 0.1 : 1;

await buildPage();
await buildWorker();
console.log(`on ${cpus().length} cores`);

if (isWanted('herd')) {
  const relay = await TestRelay.start();
  const report = await runHerd(relay, {
    clients: 300 * scale,
    agents: 20 * scale,
    idleMs: 30_000 * scale,
    outageMs: 5_000,
  });
  console.log(
    `herd: ${report.wakeUps} wake-ups while idle; ${report.tries.length} tries during an outage of 5 s,`,
  );
  console.log(
    `  at most ${(100 * crowdedShare(report.firstWaits)).toFixed(1)} % of the first ones meant for one tenth of a second; all back after ${Math.round(report.backMs)} ms`,
  );
  await relay[Symbol.asyncDispose]();
}
if (isWanted('churn')) {
  await using world = await World.open();
  const { before, left } = await churn(world, 1000 * scale);
  const after = await left();
  console.log(
    `${1000 * scale} sessions opened and closed: before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`,
  );
}
if (isWanted('busy')) {
  await using world = await World.open({ agentFlags: ['--max-sessions', '64'] });
  const options = { sessions: 50 * scale, clients: 4, bytesPerSecond: 20_000, forMs: 30_000 * scale };
  const { echoesMs, shownPerSecond, lostBytes, shares } = await runBusy(world, options);
  console.log(
    `${options.sessions} sessions × ${options.clients} clients at 20 KB/s: echo p50 ${quantile(echoesMs, 0.5).toFixed(1)} ms, p99 ${quantile(echoesMs, 0.99).toFixed(1)} ms (${echoesMs.length} keys);`,
  );
  const parts = Object.entries(shares).map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`);
  console.log(`  of one processor: ${parts.join(', ')}; load of the machine ${loadavg()[0]?.toFixed(1)}`);
  console.log(
    `  each was shown ${Math.round(shownPerSecond / 1000)} KB/s of each session; ${lostBytes} bytes skipped`,
  );
}
if (isWanted('answers')) {
  const rounds = 100 * scale;
  tell('programs that cannot be started, refused', await refusalTimes(rounds));
  tell('tokens taken back', await revocationTimes(rounds / 5));
}
process.exit();

function tell(what: string, times: Times): void {
  for (const [name, ms] of times)
    console.log(
      `${what}: after p50 ${quantile(ms, 0.5).toFixed(1)} ms, at the longest ${Math.max(...ms).toFixed(1)} ms of ${ms.length} (${name})`,
    );
}
