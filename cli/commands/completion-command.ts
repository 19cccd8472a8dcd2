/** `holdfast completion`: prints a completion script for bash, zsh or fish. */
import { print } from '../../node/print.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { bashCompletion, fishCompletion, zshCompletion } from './completion-scripts.ts';

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `commands` is called when the command runs, because the list includes this command. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
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
    if (script === undefined) throw new UsageError('no shell given; use bash, zsh or fish');
    print(script(commands()));
    return EXIT.ok;
  },
});
