/** What `npm start` runs once everything is built (see start.mjs). */
import { runWithNpm } from './local/npm-run.ts';
import { startRelay } from './relay/relay.ts';

await runWithNpm(startRelay);
