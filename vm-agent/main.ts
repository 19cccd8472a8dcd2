/** Entry point of the agent as a separate program. */
import { runAgent } from './run.ts';

process.exit(await runAgent(process.argv.slice(2)));
