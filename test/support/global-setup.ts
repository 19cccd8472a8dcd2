/** Runs once before all tests. A failure here fails the run: no suite is skipped because a tool is missing. */
import { buildAgent, buildCli, buildPage, buildStart, buildWorker } from '../../tools/build.ts';
import { chooseBrowsers } from './chromium.ts';

export default async function setup(): Promise<void> {
  await buildPage();
  await buildWorker();
  await buildAgent();
  await buildCli();
  await buildStart();
  await chooseBrowsers();
}
