/** `holdfast up` in this process: what `npm start` does, out of an installed package. */
import { fileURLToPath } from 'node:url';
import { type LocalRun, runLocally } from '../local/local-run.ts';
import { startRelay } from '../relay/relay.ts';
import { SERVICE_VARIABLE } from '../service/service.ts';

/** The command itself, which also runs agents: the source in a checkout, else the built one. */
const HOLDFAST = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../holdfast.ts' : './holdfast.js', import.meta.url),
);

/** Never resolves: the process ends when the parts have stopped. */
export async function runHere(run: Pick<LocalRun, 'place' | 'stateDir'>): Promise<never> {
  await runLocally({
    ...run,
    startRelay,
    agentProgram: [process.execPath, HOLDFAST, 'agent'],
    anotherPort: `choose another, for example --port ${run.place.port + 1}`,
    isLogged: process.env[SERVICE_VARIABLE] !== undefined,
  });
  return new Promise(() => {});
}
