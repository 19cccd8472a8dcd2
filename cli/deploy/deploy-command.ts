/** `holdfast deploy`: deploys the relay to a Cloudflare account, and prints a link for its owner. */
import { join } from 'node:path';
import { configDirectory } from '../../node/config-directory.ts';
import { print, say } from '../../node/print.ts';
import { PROJECT } from '../../node/project.ts';
import { systemClock } from '../../node/system-clock.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { readRelayConfig } from '../relay/relay-config.ts';
import { withDeployFiles } from './deploy-files.ts';
import { type Deploy, deployRelay, plannedSecrets } from './deploy-relay.ts';
import { findWrangler } from './find-wrangler.ts';
import { linkLines } from './link-lines.ts';
import { type Wrangler, WranglerFailure } from './wrangler.ts';
import { WranglerProgram } from './wrangler-program.ts';

/** One label of a host name, and one folder. */
const WORKER_NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

export const deployCommand: Command = {
  name: 'deploy',
  summary: 'deploy a relay to your Cloudflare account',
  about: `Deploys the relay as a Worker with wrangler, and prints a link with which you log in as its owner. The first deploy makes
the relay's secret and the owner's key. Later ones keep both, and print a new link. The secret is stored at Cloudflare
only. The owner's key is kept in ~/.config/holdfast/relays/<worker>/owner.json; the relay has its public half.
Needs wrangler, and a login (\`npx wrangler login\`) or CLOUDFLARE_API_TOKEN.`,
  options: {
    name: { value: '<worker>', meaning: 'name of the Worker, default: that of wrangler.toml, holdfast' },
    'dry-run': { meaning: 'check everything and say what would be done, without an account' },
    'reset-owner': {
      meaning: 'make a new key for the owner; what was made with the old one is void',
    },
  },
  examples: [
    ['holdfast deploy', 'prints https://holdfast.<you>.workers.dev/#owner=…'],
    ['holdfast deploy --name relay-eu', 'a second relay in the same account'],
    ['holdfast deploy --dry-run', 'uploads nothing'],
  ],
  async run(input) {
    const deploy = await readDeploy(input);
    const program = await findWrangler(PROJECT, process.env.PATH);
    return withDeployFiles(PROJECT, async (files) => {
      const wrangler = new WranglerProgram(program, files, systemClock);
      try {
        if (input.has('dry-run')) await rehearse(deploy, wrangler);
        else showLink(await deployRelay(deploy, { wrangler, fetch, clock: systemClock, say }));
        return EXIT.ok;
      } catch (error) {
        if (!(error instanceof WranglerFailure)) throw error;
        for (const line of error.lines) say(`  ${line}`);
        throw new CommandError(EXIT.failed, error.message);
      }
    });
  },
};

async function readDeploy(input: Input): Promise<Deploy> {
  const worker = input.text('name') ?? (await readRelayConfig(new URL('wrangler.toml', PROJECT))).name;
  if (!WORKER_NAME.test(worker))
    throw new UsageError('the name of a Worker has 1 to 63 lower-case letters, digits and -');
  return {
    worker,
    stateDir: join(configDirectory(process.env), 'relays', worker),
    resetsOwner: input.has('reset-owner'),
  };
}

async function rehearse(deploy: Deploy, wrangler: Wrangler): Promise<void> {
  for (const line of await wrangler.rehearse(deploy.worker)) print(line);
  for (const line of await plannedSecrets(deploy)) print(line);
}

function showLink(link: string): void {
  print(linkLines(link, process.stdout.isTTY === true).join('\n'));
}
