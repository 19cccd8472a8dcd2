/** Where a person's settings and state are kept: `$XDG_CONFIG_HOME/holdfast`, or `~/.config/holdfast`. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A relative path in XDG_CONFIG_HOME is ignored, as the XDG specification says. */
export function configDirectory({ XDG_CONFIG_HOME: given = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'holdfast');
}
