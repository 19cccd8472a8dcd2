/** Finds and runs the command of `holdfast <command>`. Errors are one sentence on stderr and an exit code. */

import { print, say } from '../../node/print.ts';
import { productVersion } from '../../node/product-version.ts';
import { StartError } from '../../node/start-error.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { helpOf, readInput } from '../command-line/command.ts';
import { nearestName } from '../command-line/did-you-mean.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
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
  try {
    if (command === undefined) throw new UsageError(unknownCommand(name));
    if (!command.readsItsOwn && asksForHelp(rest)) return showHelp(name);
    return await command.run(readInput(command, rest));
  } catch (error) {
    return failed(error, command === undefined ? '' : ` ${command.name}`);
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.includes('--help') || own.includes('-h');
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

/** One printable line, because the message may quote another machine. */
function sentenceOf({ message }: Error): string {
  return printable(message, SENTENCE_MAX_CHARS);
}

function failed(error: unknown, command: string): number {
  if (error instanceof UsageError) {
    say(`holdfast${command}: ${sentenceOf(error)}`);
    say(`\`holdfast${command} --help\` explains.`);
    return EXIT.usage;
  }
  if (error instanceof ProtocolError) {
    say(`holdfast${command}: the relay or the machine sent what it may not: ${sentenceOf(error)}`);
    return EXIT.failed;
  }
  const isExpected = error instanceof CommandError || error instanceof StartError;
  if (!isExpected) throw error;
  say(`holdfast${command}: ${sentenceOf(error)}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
