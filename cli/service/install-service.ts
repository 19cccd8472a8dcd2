/** Installs a command of ours as a service of this machine or user, and removes it. */
import { fileURLToPath } from 'node:url';
import { PROJECT } from '../../node/project.ts';
import { StartError } from '../../node/start-error.ts';
import { cleanEnvironment } from '../local/local-agent.ts';
import { Launchd } from './launchd.ts';
import { SERVICE_VARIABLE, type Service, type ServiceManager } from './service.ts';
import { readServiceFile, removeServiceFile, type ServiceFile, writeServiceFile } from './service-files.ts';
import { Systemd } from './systemd.ts';

export interface ServiceRequest extends Pick<Service, 'name' | 'description' | 'keeps' | 'reloadSignal'> {
  /** What follows `holdfast` on the command line. Paths are absolute. */
  readonly args: readonly string[];
  /** Variables besides those that shells need. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export function servicesHere(platform: NodeJS.Platform = process.platform): ServiceManager {
  if (platform === 'linux') return new Systemd();
  if (platform === 'darwin') return new Launchd();
  throw new StartError('Services need systemd or launchd; run the command without --service.');
}

/**
 * Whether it is running as it is asked for. One that runs with other options is not touched, because its shells would
 * end. Throws a StartError then, if the file is somebody else's, or if there are no services here.
 */
export async function isInstalledAndRunning(
  request: ServiceRequest,
  manager = servicesHere(),
): Promise<boolean> {
  const { name } = request;
  const file = await readServiceFile(manager, name);
  await manager.requireHere();
  if (file === null || !(await manager.isRunning(name))) return false;
  const wanted = manager.programIn(manager.describe(serviceOf(request)));
  if (manager.programIn(file.text) === wanted) return true;
  throw new StartError(
    `The service ${name} is running with other options (${manager.fileOf(name)}); \`holdfast down ${name}\` stops it and ends its shells, then repeat this.`,
  );
}

/** Nothing is left behind if it does not start. */
export async function installService(request: ServiceRequest, manager = servicesHere()): Promise<void> {
  const { name } = request;
  await readServiceFile(manager, name);
  await manager.requireHere();
  await writeServiceFile(manager, serviceOf(request));
  try {
    await manager.start(name);
  } catch (error) {
    await manager.stop(name).catch(() => {});
    await removeServiceFile(manager, name);
    await manager.forget(name).catch(() => {});
    throw error;
  }
}

/** Stops it first; a file whose service cannot be stopped stays. */
export async function removeService({ name }: ServiceFile, manager: ServiceManager): Promise<void> {
  await manager.stop(name);
  await removeServiceFile(manager, name);
  await manager.forget(name);
}

function serviceOf({ args, environment = {}, ...request }: ServiceRequest): Service {
  const entry = fileURLToPath(new URL('cli/bin.mjs', PROJECT));
  return {
    ...request,
    program: [process.execPath, entry, ...args],
    environment: { [SERVICE_VARIABLE]: request.name, ...shellVariables(), ...given(environment) },
  };
}

/** Shells of the service have the path, the language and the program of the shell that installs it. */
function shellVariables(): Record<string, string> {
  const kept = Object.entries(cleanEnvironment(process.env)).filter(([name]) =>
    /^(PATH|SHELL|TZ|LANG|LANGUAGE|LC_\w+)$/.test(name),
  );
  return given(Object.fromEntries(kept));
}

function given(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(set) as Record<string, string>;
}
