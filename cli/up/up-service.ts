/** `holdfast up --service`: installs and starts the service, and prints a new link once a shell can start. */
import { print, say } from '../../node/print.ts';
import { StartError } from '../../node/start-error.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { untilAgentOnline } from '../local/agent-online.ts';
import { requireFreePort } from '../local/free-port.ts';
import type { LocalRun } from '../local/local-run.ts';
import { LocalState } from '../local/local-state.ts';
import { linkOf, localToken, WORKSPACE } from '../local/local-token.ts';
import { reachWarning } from '../local/relay-address.ts';
import { addressesOf, type RelayPlace } from '../local/relay-place.ts';
import { requireShell } from '../local/shell-check.ts';
import { certificateSettings, listeningUrl, RELAY_SETTINGS } from '../relay/relay.ts';
import {
  installService,
  isInstalledAndRunning,
  type ServiceRequest,
  servicesHere,
} from '../service/install-service.ts';
import type { ServiceManager } from '../service/service.ts';
import { sayToOwner } from './owner-lines.ts';

export const UP_SERVICE = 'holdfast-up';

/** A busy machine takes seconds. What takes longer is in the log of the service. */
const ONLINE_WITHIN_MS = 60_000;

type Run = Pick<LocalRun, 'place' | 'stateDir'>;

export async function installUp(
  run: Run,
  manager: ServiceManager = servicesHere(),
  onlineWithinMs = ONLINE_WITHIN_MS,
): Promise<number> {
  const { place, stateDir } = run;
  if (place.port === 0) throw new UsageError('--service needs a port that stays; 0 is another each time');
  const request = requestOf(run);
  if (!(await isInstalledAndRunning(request, manager))) {
    await prepare(run);
    await installService(request, manager);
  }
  const listening = listeningUrl(place);
  const token = await localToken(LocalState.unlocked(stateDir), 'operator');
  const isOnline = await untilAgentOnline({
    relay: listening,
    workspace: WORKSPACE,
    token,
    certificate: place.tls?.certFile,
    trouble: () => manager.logOf(UP_SERVICE),
    say,
    signal: AbortSignal.timeout(onlineWithinMs),
  });
  if (!isOnline)
    throw new StartError(
      `The service ${UP_SERVICE} is installed, but its agent is not connected after ${onlineWithinMs / 1000} s; ${manager.logOf(UP_SERVICE)}, and \`holdfast down\` removes it.`,
    );
  say(`The service ${UP_SERVICE} is running; \`holdfast down\` stops and removes it.`);
  const warning = reachWarning(place.host, {
    isSecure: place.publicUrl !== undefined || place.tls !== undefined,
  });
  for (const remark of [await manager.caveat(), warning && `Warning: ${warning}`]) if (remark) say(remark);
  print(`Open ${linkOf(addressesOf(place, listening).page, token)}`);
  await sayToOwner(run);
  return EXIT.ok;
}

/** What would fail in the background is checked here, where somebody reads the message. */
async function prepare({ place: { host, port }, stateDir }: Run): Promise<void> {
  await requireFreePort(host, port, `choose another, for example --port ${port + 1}`);
  requireShell(process.env);
  const state = await LocalState.open(stateDir);
  await state.secret();
  await state.release();
}

/** Every option is written out, so that the service does not depend on the environment of its manager. */
function requestOf({ place, stateDir }: Run): ServiceRequest {
  return {
    name: UP_SERVICE,
    description: 'Holdfast: a relay and an agent, shells in the browser',
    args: ['up', ...placeArguments(place), '--state-dir', stateDir],
    environment: { ...relaySettings(), ...certificateSettings(process.env) },
    keeps: [stateDir],
  };
}

function placeArguments({ host, port, publicUrl, tls }: RelayPlace): string[] {
  return [
    ...['--host', host, '--port', `${port}`],
    ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
    ...(tls === undefined ? [] : ['--cert', tls.certFile, '--key', tls.keyFile]),
  ];
}

/** The previous secret is left out: everybody may read the file of a service. It belongs into the state directory. */
function relaySettings(): Record<string, string | undefined> {
  const names = RELAY_SETTINGS.filter(
    (name) => !['RELAY_PUBLIC_URL', 'RELAY_SECRET_PREVIOUS'].includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
