/** `npm start`: builds what is needed, then runs relay and agent on this machine. */
import { buildPage, buildWorker } from './build.ts';
import { runLocally } from './local-run.ts';
import { startRelay } from './relay.ts';

await runLocally(async (options) => {
  console.error('Building the page …');
  await buildPage();
  console.error('Building the relay …');
  await buildWorker();
  console.error('Starting the relay …');
  return startRelay(options);
});
