/** `holdfast kill`: ends sessions for all their clients. */

import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

export const killCommand: Command = {
  name: 'kill',
  summary: 'end sessions',
  operands: '<session>...',
  about: `Ends sessions and everything that runs in them (SIGHUP, SIGTERM, SIGKILL), for everybody who is attached.
Ends nothing unless all of them are found.`,
  options: CLIENT_OPTIONS,
  examples: [['holdfast kill build', 'by name, key, id or the beginning of an id']],
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
