/** `holdfast completion`: what the Tab key completes, for the shells people have. */
import { print } from '../vm-agent/print.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { bashCompletion, fishCompletion, zshCompletion } from './completion-scripts.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completionCommand: Command = {
  name: 'completion',
  summary: 'print completions for bash, zsh or fish',
  operands: 'bash|zsh|fish',
  about: 'Prints a script that completes commands, options and sessions.',
  options: {},
  examples: [
    ['source <(holdfast completion bash)', 'in ~/.bashrc; or zsh in ~/.zshrc, after compinit'],
    ['holdfast completion fish > ~/.config/fish/completions/holdfast.fish', 'for fish'],
  ],
  async run(input) {
    const script = SHELLS[input.operands[0] ?? ''];
    if (script === undefined) throw new UsageError('say for which shell: bash, zsh or fish');
    print(script(COMMANDS));
    return EXIT.ok;
  },
};
