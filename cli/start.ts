/** `npm start`: builds what is needed, then runs relay and agent on this machine. */
import { say } from '../vm-agent/print.ts';
import { buildPage, buildWorker } from './build.ts';
import { runLocally } from './local-run.ts';
import { startRelay } from './relay.ts';

await runLocally(async (options) => {
  say('Building the page …');
  await buildPage();
  say('Building the relay …');
  await buildWorker();
  say('Starting the relay …');
  return startRelay(options);
});
