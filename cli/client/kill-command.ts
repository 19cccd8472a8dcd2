/** `holdfast kill`: ends sessions for everybody. */
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { CLIENT_OPTIONS, clientSettings } from './client-settings.ts';
import { withClient } from './connect.ts';
import { sessionMeant } from './find-session.ts';

export const killCommand: Command = {
  name: 'kill',
  summary: 'end sessions',
  operands: '<session>...',
  about: `Ends sessions and everything that runs in them (SIGHUP, SIGTERM, SIGKILL), for everybody who is attached.
Ends nothing unless all of them are found.`,
  options: CLIENT_OPTIONS,
  examples: [['holdfast kill build', 'by name; an id, the beginning of one, or a key do as well']],
  async run(input) {
    if (input.operands.length === 0) throw new UsageError('no session given');
    return withClient(clientSettings(input), async (client) => {
      const meant = new Set<string>();
      for (const text of input.operands) meant.add((await sessionMeant(client, text)).id);
      for (const id of meant) await client.close(id);
      return EXIT.ok;
    });
  },
};
