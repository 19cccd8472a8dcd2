/**
 * Runs a keeper: the process that owns the terminals of this machine, and its agent.
 *
 * SIGURG replaces the agent by a new one, for example after an upgrade of its files, and the keeper too if that is asked
 * for (reload-request.ts). SIGTERM, SIGINT and SIGHUP end everything.
 */
import { randomBytes } from 'node:crypto';
import { ignoreClosedOutput, logEvent } from '../../node/log.ts';
import { printJson, say } from '../../node/print.ts';
import { systemClock } from '../../node/system-clock.ts';
import { adoptWith } from '../pty/adopt-pty.ts';
import type { SpawnOwned } from '../pty/pty.ts';
import { spawnPty } from '../pty/spawn-pty.ts';
import { setOomScore, startAgent } from './agent-process.ts';
import { Keeper } from './keeper.ts';
import { isKeeperWanted, RELOAD_SIGNAL } from './reload-request.ts';
import type { SavedKeeper } from './saved-state.ts';
import { SpareDescriptors } from './spare-descriptors.ts';
import { Supervisor } from './supervisor.ts';
import { readTakeOver } from './take-over.ts';
import { canTakeOver, readState, Upgrade, upgradeTrouble } from './upgrade.ts';
import type { KeeperCapability } from './versions.ts';

/** Whoever asks so often is looked for once: that reads the command line of every process. */
const ASKED_TOGETHER_MS = 50;
/** … and on a busy machine, looking takes no more than this part of its time. */
const LOOK_SHARE = 10;
/** A new keeper's agent is ready by then, or has to be replaced. */
const SERVED_WITHIN_MS = 3_000;

/** Higher than ours, lower than the agent's. */
const PROGRAM_OOM_SCORE = '100';

/** The exit code if there is no state to take over. */
const NO_STATE = 2;

/** `agent` is the file of the agent's entry point; `args` are its arguments. Resolves with the exit code. */
export async function runKeeper(agent: string, args: readonly string[]): Promise<number> {
  const { takeOver, others } = readTakeOver(args);
  if (takeOver === null) return keep(agent, others);
  try {
    const state = readState();
    if (takeOver !== 'check') return await keep(agent, others, { state, takeOvers: takeOver });
    printJson(canTakeOver(state.programs.length));
    return 0;
  } catch (error) {
    say(`holdfast keeper: the state of the keeper before cannot be read: ${(error as Error).message}.`);
    return NO_STATE;
  }
}

interface Earlier {
  readonly state: SavedKeeper;
  readonly takeOvers: number;
}

function keep(agent: string, args: readonly string[], earlier?: Earlier): Promise<number> {
  return new Promise((exit) => {
    const spare = new SpareDescriptors();
    let isServed = false;
    const capabilities: KeeperCapability[] = upgradeTrouble() === null ? ['upgrade'] : [];
    const adopt = adoptWith((pid, why) => logEvent('error', 'program_lost', { pid, why }));
    const keeper = new Keeper({
      spawn: spawnWithScore,
      clock: systemClock,
      epoch: earlier?.state.epoch ?? randomBytes(16).toString('base64url'),
      pid: process.pid,
      capabilities,
      ready: () => {
        isServed = true;
        supervisor.ready();
      },
      finished: (code) => supervisor.finished(code),
      ...(earlier === undefined ? {} : { earlier: { programs: earlier.state.programs, adopt } }),
    });
    const takeOvers = earlier?.takeOvers ?? 0;
    const supervisor = new Supervisor({
      keeper,
      clock: systemClock,
      log: logEvent,
      start: (events) =>
        spare.lend(() =>
          startAgent(
            { program: process.execPath, args: [...process.execArgv, agent, ...args], capabilities },
            { received: (frame) => keeper.received(frame), drained: () => keeper.drained() },
            events,
          ),
        ),
      upgrade: new Upgrade(keeper, takeOvers),
      hasTakenOver: takeOvers > 0,
      exit,
    });
    ignoreClosedOutput();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => supervisor.stop(0));
    let isAsked = false;
    let pauseMs = ASKED_TOGETHER_MS;
    const look = () => {
      // Otherwise whoever keeps asking has one keeper replace another, and no agent ever serves.
      if (!isServed && performance.now() < SERVED_WITHIN_MS) return void setTimeout(look, pauseMs);
      isAsked = false;
      const since = performance.now();
      if (spare.lend(isKeeperWanted)) void supervisor.upgrade();
      else supervisor.reload();
      pauseMs = Math.max(ASKED_TOGETHER_MS, LOOK_SHARE * (performance.now() - since));
    };
    process.on(RELOAD_SIGNAL, () => {
      if (isAsked) return;
      isAsked = true;
      setTimeout(look, pauseMs);
    });
    // Others use it for this, and uncaught it would end everything.
    process.on('SIGUSR2', () => supervisor.reload());
    if (takeOvers > 0)
      logEvent('info', 'keeper_upgraded', { times: takeOvers, programs: keeper.programs.length });
    supervisor.begin();
  });
}

const spawnWithScore: SpawnOwned = (spec, events) => {
  const program = spawnPty(spec, events);
  setOomScore(program.pid, PROGRAM_OOM_SCORE);
  return program;
};
