/** `holdfast join --service`: installs and starts the agent of this machine as a service. */
import { dirname } from 'node:path';
import { print, say } from '../../node/print.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { installService, isInstalledAndRunning, servicesHere } from '../service/install-service.ts';
import type { ServiceManager } from '../service/service.ts';
import type { Joined } from './join-machine.ts';

/** Before the invite is used up. Throws a StartError if this machine runs no services. */
export function requireServices(manager: ServiceManager = servicesHere()): Promise<void> {
  return manager.requireHere();
}

export async function installAgent(
  { envFile, workspace }: Pick<Joined, 'envFile' | 'workspace'>,
  manager: ServiceManager = servicesHere(),
): Promise<number> {
  const name = `holdfast-agent-${workspace}`;
  const request = {
    name,
    description: `Holdfast agent of ${workspace}: shells that outlive every connection`,
    args: ['agent', '--env-file', envFile],
    keeps: [dirname(envFile)],
    reloadSignal: 'URG',
    // glibc's own default, as for every agent of ours: memory of sleeping screens goes back to the system.
    environment: { MALLOC_MMAP_THRESHOLD_: '131072' },
  };
  if (!(await isInstalledAndRunning(request, manager))) await installService(request, manager);
  const remark = await manager.caveat();
  if (remark !== null) say(remark);
  print(`The service ${name} is running; \`holdfast down ${name}\` stops and removes it.`);
  return EXIT.ok;
}
