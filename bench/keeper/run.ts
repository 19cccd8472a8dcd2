/**
 * `npx node bench/keeper/run.ts`: replaces the agent while a program floods, while somebody types into vim, and during a
 * long paste, and prints the longest time in which the client was shown nothing. Then kills the agent, and prints how
 * long the next key takes to be echoed. Everything that is printed and typed is checked; fails if a byte is wrong.
 *
 * `--only flood`, `--rounds N`, `--kills N`, `--timeline` (what happened when), `--built` (measures dist/ as it is). The goals are for an idle machine.
 */
import '../measuring/requires-proc.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { HeadlessClient } from '../../test/support/headless-client.ts';
import { askForAgent } from '../../test/support/kept-agent.ts';
import { BUILT_KEEPER, World } from '../../test/support/world.ts';
import { buildAgent, buildPage, buildWorker } from '../../tools/build.ts';
import { until, within } from '../deadline.ts';
import { median, range } from '../measuring/statistics.ts';
import { Timeline } from './timeline.ts';
import { WatchedSession } from './watched-session.ts';
import { WORKS, type Work } from './work.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    kills: { type: 'string', default: '20' },
    timeline: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
  },
});
const PAUSE_GOAL_MS = 300;
const KILL_GOAL_MS = 1_500;

/** How long the same work is watched without a replacement, and after it. An agent ends early within its first second. */
const BEFORE_MS = 1_500;
const AFTER_MS = 500;

const isChosen = (name: string) => values.only === '' || values.only === name;
const report: string[] = [];
const wrong: string[] = [];

if (!values.built) {
  await buildPage();
  await buildWorker();
  await buildAgent();
}
const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
try {
  await using world = await World.open({ agentProgram: BUILT_KEEPER });
  using client = await world.client();
  for (const [name, start] of Object.entries(WORKS))
    if (isChosen(name)) await replaceUnder(world, client, name, await start(client, folder));
  if (isChosen('kill')) await killRepeatedly(world, client);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const line of report) console.log(line);
for (const line of wrong.slice(0, 10)) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? 'nothing lost, doubled or altered' : `${wrong.length} errors`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Replaces the agent again and again while `work` goes on. */
async function replaceUnder(world: World, client: HeadlessClient, name: string, work: Work): Promise<void> {
  const { watched } = work;
  const without: number[] = [];
  const pauses: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    watched.restart();
    await sleep(BEFORE_MS);
    without.push(watched.longest.ms);
    watched.restart();
    using timeline = new Timeline(client, watched);
    const links = linksOpened(world);
    const from = performance.now();
    askForAgent(world.agent.pid);
    await until('the new agent has connected', 5, async () => linksOpened(world) > links);
    await within(
      'the session is live',
      client.until(() => watched.session.state.name === 'live'),
    );
    await watched.arrival();
    await sleep(AFTER_MS);
    pauses.push(watched.longest.ms);
    if (!values.timeline) continue;
    console.log(
      `${name}, round ${round + 1}: ${ms(watched.longest.ms)} from ${ms(watched.longest.from - from)}`,
    );
    for (const line of timeline.lines(world.agentLogs, from)) console.log(line);
  }
  wrong.push(...(await work.finish()).map((what) => `${name}: ${what}`));
  wrong.push(...watched.restarts.slice(1).map((kind) => `${name}: the screen began anew with a ${kind}`));
  report.push(
    `replaced under ${name}: longest pause ${ms(Math.max(...pauses))} of ${pauses.map(ms).join(', ')}; without a replacement ${ms(Math.max(...without))}; goal ${ms(PAUSE_GOAL_MS)}`,
  );
}

/** Kills the agent, types one key, and waits for its echo. */
async function killRepeatedly(world: World, client: HeadlessClient): Promise<void> {
  let printed = '';
  const watched = await WatchedSession.open(client, 'stty raw -echo; printf ready; exec cat', (bytes) => {
    printed += Buffer.from(bytes).toString('latin1');
  });
  await until('the program is ready', 5, async () => printed === 'ready');
  const times: number[] = [];
  let expected = 'ready';
  for (let kill = 0; kill < Number(values.kills); kill++) {
    await sleep(BEFORE_MS);
    using timeline = new Timeline(client, watched);
    const key = String.fromCharCode(97 + (kill % 26));
    const from = performance.now();
    world.killAgent();
    watched.type(key);
    expected += key;
    while (printed.length < expected.length) await watched.arrival();
    times.push(performance.now() - from);
    if (printed !== expected) wrong.push(`kill: ${JSON.stringify(printed)} was printed`);
    if (values.timeline && kill < 3)
      for (const line of timeline.lines(world.agentLogs, from)) console.log(line);
  }
  const [least, most] = range(times);
  report.push(
    `killed ${times.length} times: echo of the next key after ${ms(median(times))} (median; ${ms(least)} to ${ms(most)}); goal ${ms(KILL_GOAL_MS)}`,
  );
}

function linksOpened(world: World): number {
  return world.agentLogs.join('\n').match(/"event":"link","state":"open"/g)?.length ?? 0;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
