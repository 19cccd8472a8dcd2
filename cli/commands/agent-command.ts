/** `holdfast agent`: the agent itself, or its doctor, in this process. */
import type { Command } from '../command-line/command.ts';

export const agentCommand: Command = {
  name: 'agent',
  summary: 'keep shells on this machine; `agent doctor` checks that it can',
  about: '',
  options: {},
  examples: [],
  readsItsOwn: true,
  async run(input) {
    // Later, because of the native part: other commands run where there is none for this machine.
    const { runAgent } = await import('../../vm-agent/run.ts');
    return runAgent(input.raw);
  },
};
