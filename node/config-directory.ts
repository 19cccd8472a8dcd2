/** Where a user's own settings and state of Holdfast are kept. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The XDG base directory specification ignores a path that is not absolute. */
export function configDirectory(env: NodeJS.ProcessEnv): string {
  return join(userConfigDirectory(env), 'holdfast');
}

/** `~/.config`, which programs of the user share. */
export function userConfigDirectory({ XDG_CONFIG_HOME: own = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(own) ? own : join(homedir(), '.config');
}
