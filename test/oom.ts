/**
 * `npx node test/oom.ts`: runs a keeper with its agent and a shell in a control group, and lets the group run out of
 * memory in two ways: the agent needs more and more, for the screens of its sessions, and a program in a shell does.
 * Checks whom the kernel ends, and that the shells go on with the same pid and variables. Needs Linux and root.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildAgent, buildPage, buildWorker } from '../tools/build.ts';
import type { HeadlessClient } from './support/headless-client.ts';
import { agentOf } from './support/kept-agent.ts';
import { MemoryGroup } from './support/memory-group.ts';
import { typeInto } from './support/type-into.ts';
import { BUILT_KEEPER, World } from './support/world.ts';

const MIB = 2 ** 20;
/** Enough for both processes and a few sessions. */
const LIMIT_BYTES = 400 * MIB;
/** Each of these sessions needs some 20 MiB for the lines above its screen. */
const SESSIONS_MAX = 40;
const SCROLLBACK_LINES = '50000';
const POLL_MS = 20;
const WAIT_MAX_MS = 60_000;
/** A program that needs more memory than there is, in pieces, so that others need some at the same time. */
const HOG = `awk 'BEGIN { for (i = 0; ; i++) held[i] = sprintf("%1000s", i) }'`;

await buildPage();
await buildWorker();
await buildAgent();
using group = new MemoryGroup(LIMIT_BYTES);
await using world = await World.open({
  agentProgram: [...group.prefix, ...BUILT_KEEPER],
  agentFlags: ['--scrollback-lines', SCROLLBACK_LINES],
});
using client = await world.client();
const { session, screen } = await client.open();
typeInto(session, 'kept=6; echo shell-$$-end\n');
const [, shell] = await screen.sees(/^shell-(\d+)-end$/m);
console.log(`limit ${LIMIT_BYTES / MIB} MiB, used ${mib(group.usedBytes)}: ${scores()}`);

const first = await agentEnds(await fill(client));
console.log(`The agent needed too much: ${first}`);
await goesOn('after-agent');

await closeOthers(client);
const agentBefore = agentOf(world.agent.pid);
const killsBefore = group.kills;
typeInto(session, `${HOG}; echo hog-ended-$?\n`);
const [, code] = await screen.sees(/^hog-ended-(\d+)$/m);
check(code === '137', `the program ended with ${code}, not with 137 (SIGKILL)`);
const also = agentOf(world.agent.pid) === agentBefore ? 'the agent went on' : 'the agent was ended too';
console.log(`A program needed too much: the kernel ended ${group.kills - killsBefore}: the program; ${also}`);
await goesOn('after-program');
console.log('shells and keeper were never ended');

/** Opens sessions with long histories until the kernel ends somebody. Returns the agent that did it. */
async function fill(client: HeadlessClient): Promise<number> {
  const agent = agentOf(world.agent.pid) as number;
  const print = `for i in $(seq 1 ${SCROLLBACK_LINES}); do echo $i; done; exec sleep 100000`;
  for (let n = 0; n < SESSIONS_MAX && group.kills === 0; n++) {
    await client.client
      .create({ name: `n${n}`, cols: 200, rows: 50, command: 'sh', args: ['-c', print] })
      .catch(() => {});
    await sleep(300);
  }
  await until('somebody is ended', () => group.kills > 0);
  return agent;
}

/** Makes room for the next part. The agent may be ended again meanwhile, because their screens are drawn again. */
async function closeOthers(client: HeadlessClient): Promise<void> {
  for (let others = 1; others > 0; ) {
    await client.online();
    const ids = (await client.client.list()).map(({ id }) => id).filter((id) => id !== session.id);
    others = ids.length;
    for (const id of ids) await client.client.close(id).catch(() => {});
    await sleep(POLL_MS);
  }
}

async function agentEnds(agent: number): Promise<string> {
  const ends = () => world.agentLogs.join('\n').match(/"event":"agent_ended","how":"[^"]*"/g) ?? [];
  await until('the agent is ended', () => agentOf(world.agent.pid) !== agent && ends().length > 0);
  const how = ends();
  check(how.at(-1)?.includes('SIGKILL') === true, `the agent was not killed: ${how.at(-1)}`);
  return `the kernel ended ${group.kills}, and the log has ${how.length} times ${how.at(-1)}`;
}

/** The shell is the same, and so is the keeper. */
async function goesOn(word: string): Promise<void> {
  typeInto(session, `echo ${word}-$((kept+1))-$$\n`);
  const [, pid] = await screen.sees(new RegExp(`^${word}-7-(\\d+)$`, 'm'));
  check(pid === shell, `the shell is ${pid}, not ${shell}`);
  check(group.pids.includes(world.agent.pid), 'the keeper is gone');
  console.log(`  the shell goes on as ${pid}; used ${mib(group.usedBytes)}: ${scores()}`);
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += POLL_MS) {
    check(waitedMs < WAIT_MAX_MS, `${what}: not within ${WAIT_MAX_MS / 1000} s`);
    await sleep(POLL_MS);
  }
}

/** What the kernel compares. */
function scores(): string {
  const agent = agentOf(world.agent.pid);
  return Object.entries({ keeper: world.agent.pid, agent, shell })
    .map(([name, pid]) => `${name} ${readScore(pid)}`)
    .join(', ');
}

function readScore(pid: number | string | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim();
  } catch {
    return '(gone)';
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}

function check(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
