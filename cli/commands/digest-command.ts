/** `holdfast digest`: tells what happened in the sessions while somebody was away. */
import { print, printJson, say } from '../../node/print.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { digestLines } from '../client/digest-lines.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { readSince } from './audit-command.ts';

const DEFAULT_SINCE = '12h';

export const digestCommand: Command = {
  name: 'digest',
  summary: 'tell what happened while you were away',
  about: `Tells, for each session in which something happened, how many commands have ended and failed, how much was printed,
and whether it wants attention. Names the commands that failed or took long.`,
  options: {
    since: {
      value: '<time>',
      meaning: `since when: 90s, 15m, 12h, 7d, or an ISO time (default: ${DEFAULT_SINCE})`,
    },
    json: { meaning: 'print the sessions as the HTTP API returns them: {sessions}' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast digest --since 8h', 'what happened over night'],
    [`holdfast digest --json | jq '.sessions[] | select(.failed > 0).name'`, 'where something failed'],
  ],
  async run(input) {
    const now = new Date();
    const since = readSince(input.text('since') ?? DEFAULT_SINCE, now) ?? now;
    return withClient(clientSettings(input), async (client) => {
      const sessions = await client.requests.digest(since.toISOString());
      if (input.has('json')) printJson({ sessions }, 2);
      else if (sessions.length > 0) print(digestLines(sessions, now));
      else say('holdfast: nothing has happened since then');
      return EXIT.ok;
    });
  },
};
