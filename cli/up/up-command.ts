/** `holdfast up`: a relay and one agent on this machine, in this terminal or as a service. */
import { join, resolve } from 'node:path';
import { configDirectory } from '../../node/config-directory.ts';
import type { Command } from '../command-line/command.ts';
import { PLACE_OPTIONS, readPlace } from '../local/relay-place.ts';

export const upCommand: Command = {
  name: 'up',
  summary: 'run a relay and an agent on this machine, and print a link',
  about: `Runs a relay and one agent on this machine, restarts them if they end, and prints a link to open in a browser. Ctrl-C
stops both, and every shell with them. The secret and the registry are kept in one directory, so links keep working. With
--service it runs in the background instead, and starts again with the machine; \`holdfast down\` ends that.`,
  options: {
    service: { meaning: 'install and start it as a service of systemd or launchd' },
    port: PLACE_OPTIONS.port,
    host: PLACE_OPTIONS.host,
    'state-dir': {
      value: '<directory>',
      meaning: 'where it keeps its state (HOLDFAST_STATE_DIR), default: ~/.config/holdfast/up',
    },
    cert: PLACE_OPTIONS.cert,
    key: PLACE_OPTIONS.key,
    'public-url': PLACE_OPTIONS['public-url'],
  },
  examples: [
    ['holdfast up', 'in this terminal, for browsers on this machine'],
    ['holdfast up --service', 'in the background; prints the link'],
    ['holdfast up --public-url https://shells.example.com', 'behind nginx or Caddy on the same machine'],
  ],
  // The rest is loaded when it is needed: this process stays as long as its shells.
  async run(input) {
    const run = {
      place: readPlace(input, process.env),
      stateDir: stateDirectory(input.text('state-dir'), process.env),
    };
    if (input.has('service')) return (await import('./up-service.ts')).installUp(run);
    return (await import('./up-here.ts')).runHere(run);
  },
};

export function stateDirectory(given: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(given ?? (env.HOLDFAST_STATE_DIR || join(configDirectory(env), 'up')));
}
