/** The agent as a program of its own. */
import { runAgent } from './run.ts';

process.exit(await runAgent(process.argv.slice(2)));
