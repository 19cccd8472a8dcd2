/** What `npm start` runs once everything is built (see start.mjs). */
import { runLocally } from './local/local-run.ts';
import { startRelay } from './relay/relay.ts';

await runLocally(startRelay);
