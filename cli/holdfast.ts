/** The package's command: `holdfast <command>`. One sentence on stderr and an exit code when something is wrong. */
import { helpOf, readInput } from './command.ts';
import { COMMANDS } from './commands.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { overview } from './overview.ts';
import { StartError } from './start-error.ts';
import { UsageError } from './usage-error.ts';
import { productVersion } from './version.ts';

export async function holdfast(args: readonly string[]): Promise<number> {
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

// A reader that has had enough (`holdfast ls | head -1`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

const exitCode = await holdfast(process.argv.slice(2));
// What was written is written first; a socket that nobody answers any more is not waited for.
await Promise.all([process.stdout, process.stderr].map((out) => new Promise((done) => out.write('', done))));
process.exit(exitCode);
