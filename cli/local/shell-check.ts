/** Checks that the agent can start a shell here, before anything is started. */

import { StartError } from '../../node/start-error.ts';
import { Refusal } from '../../protocol/errors.ts';
import { checkDirectory, findCommand } from '../../vm-agent/pty/launch-checks.ts';
import { defaultShell, homeDirectory, shellEnvironment } from '../../vm-agent/pty/shell-environment.ts';
import { cleanEnvironment } from './local-agent.ts';

/** Throws a StartError with a message about SHELL or HOME. */
export function requireShell(own: Readonly<Record<string, string | undefined>>): void {
  const env = cleanEnvironment(own);
  const [command, cwd] = [defaultShell(env), homeDirectory(env)];
  try {
    checkDirectory(cwd);
    findCommand({ command, args: [], cwd, env: shellEnvironment(env), size: { cols: 80, rows: 24 } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new StartError(
      `No shell can start here. ${error.message} SHELL names the shell, HOME its directory.`,
    );
  }
}
