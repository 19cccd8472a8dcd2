#!/usr/bin/env node
/** The package's command: `holdfast <command>`. */
import { TOKEN_USAGE, tokenCommand } from './token-command.ts';
import { UsageError } from './usage-error.ts';

const COMMANDS: Readonly<
  Record<string, { usage: string; run: (args: readonly string[]) => Promise<string> }>
> = {
  token: { usage: TOKEN_USAGE, run: tokenCommand },
};

const [name = '', ...args] = process.argv.slice(2);
const command = COMMANDS[name];

try {
  if (command === undefined) throw new UsageError(`commands are: ${Object.keys(COMMANDS).join(', ')}`);
  if (args.includes('--help')) console.log(command.usage);
  else console.log(await command.run(args));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`holdfast: ${error.message}`);
  if (command !== undefined) console.error(`\n${command.usage}`);
  process.exitCode = 2;
}
