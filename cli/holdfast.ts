/** The package's command. */
import { say } from '../node/print.ts';
import { EXIT } from './command-line/exit-codes.ts';
import { runCommand } from './commands/run-command.ts';

// A reader that has had enough (`holdfast ls | head -1`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

// A bug, or an answer nobody expected: its text may come from another machine.
process.on('uncaughtException', (error) => {
  say(error.stack ?? String(error));
  process.exit(EXIT.failed);
});

const exitCode = await runCommand(process.argv.slice(2));
// What was written is written first; a socket that nobody answers any more is not waited for.
await Promise.all([process.stdout, process.stderr].map((out) => new Promise((done) => out.write('', done))));
process.exit(exitCode);
