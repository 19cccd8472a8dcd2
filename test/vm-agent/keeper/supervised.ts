/** A supervisor with a keeper of fake programs, whose agents and upgrades do what the test tells them to. */
import { type AgentProcessEvents, Supervisor } from '../../../vm-agent/keeper/supervisor.ts';
import { openKeeper, ScriptedAgent } from './scripted-agent.ts';

interface FakeProcess {
  readonly agent: ScriptedAgent;
  readonly events: AgentProcessEvents;
  killed: number;
}

export function begin(hasTakenOver = false) {
  const { keeper, clock, ptys, finished } = openKeeper();
  const processes: FakeProcess[] = [];
  const logged: string[] = [];
  const logLines: string[] = [];
  const reasons: string[] = [];
  const exits: number[] = [];
  /** What an upgrade does: the first check and every run answer like this. */
  const upgrade = {
    checks: Promise.withResolvers<string | null>(),
    runs: 0,
    answer: 'no',
    check: () => upgrade.checks.promise,
    run: () => {
      upgrade.runs++;
      return upgrade.answer;
    },
  };
  const supervisor = new Supervisor({
    keeper,
    clock,
    start: (events) => {
      const started: FakeProcess = { agent: new ScriptedAgent(keeper), events, killed: 0 };
      processes.push(started);
      return { socket: started.agent, kill: () => started.killed++ };
    },
    upgrade,
    hasTakenOver,
    log: (level, event, details = {}) => {
      logged.push(event);
      logLines.push(`${level} ${event} ${JSON.stringify(details)}`);
      if (details.why !== undefined) reasons.push(`${details.why}`);
    },
    exit: (code) => exits.push(code),
  });
  supervisor.begin();
  const nth = (n: number) => processes[n] as FakeProcess;
  /** The n-th process boots, and does its work. */
  const serve = (n: number) => {
    nth(n).events.booted();
    supervisor.ready();
  };
  const settle = () => new Promise(setImmediate);
  return {
    ...{ keeper, clock, ptys, finished, processes, logged, logLines, reasons, exits, supervisor, upgrade },
    ...{ nth, serve, settle },
  };
}
