/** Runs one command: its help, its options, and its errors as one sentence on stderr and an exit code. */

import { print, say } from '../../node/print.ts';
import { StartError } from '../../node/start-error.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { type Command, helpOf, readInput } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Resolves with the exit code. */
export async function executeCommand(command: Command, args: readonly string[]): Promise<number> {
  try {
    if (!command.readsItsOwn && asksForHelp(args)) {
      print(helpOf(command));
      return EXIT.ok;
    }
    return await command.run(readInput(command, args));
  } catch (error) {
    return reportFailure(error, ` ${command.name}`);
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.includes('--help') || own.includes('-h');
}

/** One printable line, because the message may quote another machine. */
function sentenceOf({ message }: Error): string {
  return printable(message, SENTENCE_MAX_CHARS);
}

/** The exit code. `command` has a leading space, and is empty if there is no such command. */
export function reportFailure(error: unknown, command: string): number {
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
