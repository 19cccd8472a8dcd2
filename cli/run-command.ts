/** `holdfast <command>`: finds the command and runs it. What is wrong is one sentence on stderr, and an exit code. */
import { helpOf, readInput } from './command.ts';
import { COMMANDS } from './commands.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { overview } from './overview.ts';
import { StartError } from './start-error.ts';
import { UsageError } from './usage-error.ts';
import { productVersion } from './version.ts';

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (name === '--version') {
    console.log(await productVersion());
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
  console.log(command === undefined ? overview() : helpOf(command));
  return EXIT.ok;
}

function unknownCommand(name: string): string {
  const names = COMMANDS.map((one) => one.name).join(', ');
  return name === ''
    ? `say what to do; commands are: ${names}`
    : `${name} is no command; there are: ${names}`;
}

function failed(error: unknown, command: string): number {
  if (error instanceof UsageError) {
    console.error(`holdfast${command}: ${error.message}`);
    console.error(`\`holdfast${command} --help\` explains.`);
    return EXIT.usage;
  }
  const isExpected = error instanceof CommandError || error instanceof StartError;
  if (!isExpected) throw error;
  console.error(`holdfast${command}: ${error.message}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
