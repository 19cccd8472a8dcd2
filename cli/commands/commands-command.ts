/** `holdfast commands`: lists the commands that were run in a session. */
import { print, printJson, say } from '../../node/print.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { commandTable } from '../client/command-table.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';

export const commandsCommand: Command = {
  name: 'commands',
  summary: 'list the commands that were run in a session',
  operands: '[<session>]',
  about: `Lists the last 200 commands of a session with their exit codes and durations, if its shell reports them (OSC 133 or
633). \`holdfast snapshot --command <number>\` prints what one of them has printed. Without a session, uses the only
running one.`,
  options: {
    json: { meaning: 'print the commands as the HTTP API returns them: {commands}' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast commands build', 'what was run there'],
    [`holdfast commands build --json | jq '.commands[] | select(.exitCode != 0)'`, 'those that failed'],
  ],
  run: (input) =>
    withClient(clientSettings(input), async (client) => {
      const { id } = await sessionMeant(client, input.operands[0]);
      const commands = await client.commands(id);
      if (input.has('json')) printJson({ commands }, 2);
      else if (commands.length > 0) print(commandTable(commands));
      else say('holdfast: the shell of this session has reported no commands');
      return EXIT.ok;
    }),
};
