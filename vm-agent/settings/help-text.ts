/** What `holdfast agent --help` prints, and the same for its commands. */
import { DEFAULT_ENV_FILE, SETTINGS, type Setting } from './config.ts';
import { NO_KEEPER } from './wants-keeper.ts';

export type AgentCommand = 'agent' | 'doctor' | 'reload';

const ABOUT: Readonly<Record<AgentCommand, readonly string[]>> = {
  agent: [
    'usage: holdfast agent [settings]        runs shells on this machine and connects to a relay',
    '       holdfast agent doctor [settings] checks the setup and says what to fix (--json for programs)',
    '       holdfast agent reload [settings] replaces a running agent by a new one; its shells keep running',
    '',
    'The process that you start is a small keeper, which owns the shells and starts the agent. Shells survive a crash and',
    'a reload of the agent; they end when the keeper is stopped.',
  ],
  doctor: [
    'usage: holdfast agent doctor [--json] [settings]',
    '',
    'Checks with the settings the agent would have: the relay, the token, the key, a terminal, locale, limits, state',
    'directory and clock. A running agent is not affected. Exit codes: 0 no check failed, 1 a check failed, 2 a setting is not valid.',
  ],
  reload: [
    'usage: holdfast agent reload [--keeper] [--pid <keeper>] [settings]',
    '',
    'Replaces the running agent by a new one, for example after an upgrade or a change of settings. Shells keep running,',
    'and clients reconnect. It looks for a keeper of this user, and of the workspace if the settings name one. Exit codes:',
    '0 the new agent has taken over; 1 it has not, or no single keeper was found; 2 a setting is not valid.',
    '',
    '  --keeper                 replaces the keeper too; needs Linux, and Node 22.15 or later',
    '  --pid <keeper>           the keeper to use; required where there is no /proc',
  ],
};

export function helpText(command: AgentCommand = 'agent'): string {
  const rows = (Object.values(SETTINGS) as Setting<unknown>[]).map(
    ({ flag, variable, meaning, fallback, fallbackText }) => {
      const shown = fallbackText ?? (fallback === '' ? 'off' : fallback);
      const value = fallback === undefined ? 'required' : `default ${shown}`;
      return `  ${flag.padEnd(24)} ${variable}\n      ${meaning} (${value})`;
    },
  );
  const isAgent = command === 'agent';
  return [
    ...ABOUT[command],
    '',
    'Settings come from flags, the environment, and a settings file, in this order:',
    '',
    ...rows,
    `  ${'--env-file'.padEnd(24)} the settings file (default ${DEFAULT_ENV_FILE}, if it is there)`,
    ...(isAgent ? [`  ${NO_KEEPER.padEnd(24)} runs everything in one process; shells end with it`] : []),
    '',
    ...(isAgent
      ? [
          'Exit codes: 0 stopped, or replaced by a newer agent; 2 a setting is not valid; 77 the token is not valid.',
        ]
      : []),
  ]
    .join('\n')
    .trimEnd();
}
