/** Finds and runs the command of `holdfast <command>`. */

import { print } from '../../node/print.ts';
import { productVersion } from '../../node/product-version.ts';
import { helpOf } from '../command-line/command.ts';
import { nearestName } from '../command-line/did-you-mean.ts';
import { executeCommand, reportFailure } from '../command-line/execute-command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { COMMANDS } from './commands.ts';
import { overview } from './overview.ts';

/** Resolves with the exit code. */
export async function dispatchCommand(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (name === '--version') {
    print(await productVersion());
    return EXIT.ok;
  }
  if (['--help', '-h', 'help'].includes(name)) return showHelp(rest[0]);
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return reportFailure(new UsageError(unknownCommand(name)), '');
  return executeCommand(command, rest);
}

function showHelp(name: string | undefined): number {
  const command = COMMANDS.find((one) => one.name === name);
  print(command === undefined ? overview() : helpOf(command));
  return EXIT.ok;
}

function unknownCommand(name: string): string {
  const names = COMMANDS.map((one) => one.name);
  if (name === '') return `no command given; commands are ${names.join(', ')}`;
  const meant = nearestName(name, names);
  const hint = meant === null ? `commands are ${names.join(', ')}` : `did you mean "${meant}"?`;
  return `unknown command "${name}"; ${hint}`;
}
