/** `holdfast agent`: runs a keeper and its agent, or in this process the agent alone, its `doctor` or `reload`. */
import { fileURLToPath } from 'node:url';
import { wantsKeeper } from '../../vm-agent/settings/wants-keeper.ts';
import type { Command } from '../command-line/command.ts';

/** The agent's own entry, which the keeper starts: the source in a checkout, else the built one. */
const AGENT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../vm-agent/main.ts' : './agent/main.js', import.meta.url),
);

export const agentCommand: Command = {
  name: 'agent',
  summary: 'run shells on this machine; `agent doctor` checks the setup',
  about: '',
  options: {},
  examples: [],
  readsItsOwn: true,
  run: ({ raw }) => runAgentCommand(raw),
};

/** Resolves with the exit code. */
export async function runAgentCommand(args: readonly string[]): Promise<number> {
  // Imported late because of the native module: other commands also run on machines that have none.
  if (!wantsKeeper(args)) return (await import('../../vm-agent/run.ts')).runAgent(args);
  // For people who look at the list of processes, and for `holdfast agent reload`, which looks there too.
  process.title = ['holdfast keeper', ...args].join(' ');
  return (await import('../../vm-agent/keeper/run-keeper.ts')).runKeeper(AGENT, args);
}
