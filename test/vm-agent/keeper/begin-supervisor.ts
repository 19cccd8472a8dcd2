/** A supervisor with a keeper, and agent processes that do what a test tells them to. */
import { type AgentProcessEvents, Supervisor } from '../../../vm-agent/keeper/supervisor.ts';
import { openKeeper, ScriptedAgent } from './scripted-agent.ts';

interface FakeProcess {
  readonly agent: ScriptedAgent;
  readonly events: AgentProcessEvents;
  killed: number;
}

export function begin() {
  const { keeper, clock, ptys, finished } = openKeeper();
  const processes: FakeProcess[] = [];
  const logged: string[] = [];
  const logLines: string[] = [];
  const exits: number[] = [];
  const supervisor = new Supervisor({
    keeper,
    clock,
    start: (events) => {
      const started: FakeProcess = { agent: new ScriptedAgent(keeper), events, killed: 0 };
      processes.push(started);
      return { socket: started.agent, kill: () => started.killed++ };
    },
    log: (level, event, details = {}) => {
      logged.push(event);
      logLines.push(`${level} ${event} ${JSON.stringify(details)}`);
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
    keeper,
    clock,
    ptys,
    finished,
    processes,
    logged,
    logLines,
    exits,
    supervisor,
    nth,
    serve,
    settle,
  };
}
