/** `holdfast up` in this process: what `npm start` does, out of an installed package. */
import { type LocalRun, runLocally } from '../local/local-run.ts';
import { startRelay } from '../relay/relay.ts';
import { SERVICE_VARIABLE } from '../service/service.ts';
import { HOLDFAST, sayToOwner } from './owner-lines.ts';

/** Never resolves: the process ends when the parts have stopped. */
export async function runHere(run: Pick<LocalRun, 'place' | 'stateDir'>): Promise<never> {
  const isLogged = process.env[SERVICE_VARIABLE] !== undefined;
  await runLocally({
    ...run,
    startRelay,
    agentProgram: [process.execPath, HOLDFAST, 'agent'],
    anotherPort: `choose another, for example --port ${run.place.port + 1}`,
    isLogged,
  });
  // A log gets no link.
  if (!isLogged) await sayToOwner(run);
  return new Promise(() => {});
}
