/**
 * Runs a keeper: the process that owns the terminals of this machine, and its agent.
 *
 * SIGUSR2 replaces the agent by a new one, for example after an upgrade of its files. SIGTERM, SIGINT and SIGHUP end
 * everything.
 */
import { randomBytes } from 'node:crypto';
import { ignoreClosedOutput, logEvent } from '../../node/log.ts';
import { systemClock } from '../../node/system-clock.ts';
import type { SpawnPty } from '../pty/pty.ts';
import { spawnPty } from '../pty/spawn-pty.ts';
import { setOomScore, startAgent } from './agent-process.ts';
import { Keeper } from './keeper.ts';
import { SpareDescriptors } from './spare-descriptors.ts';
import { Supervisor } from './supervisor.ts';

/** Higher than ours, lower than the agent's. */
const PROGRAM_OOM_SCORE = '100';

/** `agent` is the file of the agent's entry point; `args` are its arguments. Resolves with the exit code. */
export function runKeeper(agent: string, args: readonly string[]): Promise<number> {
  return new Promise((exit) => {
    const spare = new SpareDescriptors();
    const keeper = new Keeper({
      spawn: spawnWithScore,
      clock: systemClock,
      epoch: randomBytes(16).toString('base64url'),
      pid: process.pid,
      ready: () => supervisor.ready(),
      finished: (code) => supervisor.finished(code),
    });
    const supervisor = new Supervisor({
      keeper,
      clock: systemClock,
      log: logEvent,
      start: (events) =>
        spare.lend(() =>
          startAgent(
            { program: process.execPath, args: [...process.execArgv, agent, ...args] },
            { received: (frame) => keeper.received(frame), drained: () => keeper.drained() },
            events,
          ),
        ),
      exit,
    });
    ignoreClosedOutput();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => supervisor.stop(0));
    process.on('SIGUSR2', () => supervisor.reload());
    supervisor.begin();
  });
}

const spawnWithScore: SpawnPty = (spec, events) => {
  const program = spawnPty(spec, events);
  setOomScore(program.pid, PROGRAM_OOM_SCORE);
  return program;
};
