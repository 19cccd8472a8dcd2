/** `holdfast down`: stops and removes the services that `--service` installed for this user. */
import { lockOwner } from '../../node/directory-lock.ts';
import { print, say } from '../../node/print.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { removeService, servicesHere } from '../service/install-service.ts';
import { isServiceName, type ServiceManager } from '../service/service.ts';
import { ourServiceFiles, readServiceFile, type ServiceFile } from '../service/service-files.ts';
import { stateDirectory } from './up-command.ts';

export const downCommand: Command = {
  name: 'down',
  summary: 'stop and remove the services that --service installed',
  operands: '[<name>]',
  about: `Stops and removes the services that \`holdfast up --service\` and other commands with --service installed for this user,
or only the named one. Their shells end. What a service has kept (its state directory) stays, and is named.`,
  options: {},
  examples: [
    ['holdfast down', 'all of them'],
    ['holdfast down holdfast-up', 'only this one'],
  ],
  run: ({ operands: [name] }) => takeDown(name, servicesHere(), stateDirectory(undefined, process.env)),
};

/** The exit code is 0 if nothing of what was named is running. */
export async function takeDown(
  name: string | undefined,
  manager: ServiceManager,
  stateDir: string,
): Promise<number> {
  const files = await chosen(name, manager);
  for (const file of files) {
    await removeService(file, manager);
    print(`Stopped and removed the service ${file.name}.`);
    for (const kept of file.keeps) print(`Kept: ${kept}`);
  }
  if (files.length > 0) return EXIT.ok;
  if (name !== undefined) {
    say(`There is no service ${name}, so nothing was stopped.`);
    return EXIT.failed;
  }
  return sayThatThereIsNone(stateDir);
}

async function chosen(name: string | undefined, manager: ServiceManager): Promise<readonly ServiceFile[]> {
  if (name === undefined) return ourServiceFiles(manager);
  if (!isServiceName(name))
    throw new UsageError(`${JSON.stringify(name)} is not the name of a service, like holdfast-up`);
  const file = await readServiceFile(manager, name);
  return file === null ? [] : [file];
}

async function sayThatThereIsNone(stateDir: string): Promise<number> {
  const pid = await lockOwner(stateDir);
  if (pid === null) {
    say('There is no service of holdfast here, so nothing was stopped.');
    return EXIT.ok;
  }
  say(
    `There is no service of holdfast here. A \`holdfast up\` runs in a terminal (process ${pid}): Ctrl-C stops it there.`,
  );
  return EXIT.failed;
}
