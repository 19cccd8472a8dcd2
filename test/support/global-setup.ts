/** Runs once before all tests. A failure here fails the run: no suite is skipped because a tool is missing. */
import { buildAgent, buildCli, buildPage, buildStart, buildWorker } from '../../tools/build.ts';
import { findChromium } from './chromium.ts';

export default async function setup(): Promise<void> {
  await buildPage();
  await buildWorker();
  await buildAgent();
  await buildCli();
  await buildStart();
  // The environment reaches every worker process; launchChromium() reads it there.
  process.env.CHROMIUM_PATH = await findChromium();
}
