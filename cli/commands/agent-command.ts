/** `holdfast agent`: runs the agent or its `doctor` in this process. */
import type { Command } from '../command-line/command.ts';

export const agentCommand: Command = {
  name: 'agent',
  summary: 'run shells on this machine; `agent doctor` checks the setup',
  about: '',
  options: {},
  examples: [],
  readsItsOwn: true,
  async run(input) {
    // Imported late because of its native module: other commands also run on machines that have none.
    const { runAgent } = await import('../../vm-agent/run.ts');
    return runAgent(input.raw);
  },
};
