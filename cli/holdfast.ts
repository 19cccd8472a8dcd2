/** Entry point of the `holdfast` command. */
import { say } from '../node/print.ts';
import { runAgentCommand } from './agent/agent-command.ts';
import { EXIT } from './command-line/exit-codes.ts';

// A reader that stops early (`holdfast ls | head -1`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

// A bug or an unexpected answer: the text may come from another machine.
process.on('uncaughtException', (error) => {
  say(error.stack ?? String(error));
  process.exit(EXIT.failed);
});

const exitCode = await run(process.argv.slice(2));
// Flushes the output first. Open sockets that get no more answers are not waited for.
await Promise.all([process.stdout, process.stderr].map((out) => new Promise((done) => out.write('', done))));
process.exit(exitCode);

/** A keeper, and what supervises one, stays in memory for as long as its shells, so it loads no other commands. */
async function run([name, ...rest]: readonly string[]): Promise<number> {
  if (name === 'agent') return runAgentCommand(rest);
  if (name === 'up') return (await import('./up/run-up.ts')).runUp(rest);
  return (await import('./commands/command-dispatch.ts')).dispatchCommand(process.argv.slice(2));
}
