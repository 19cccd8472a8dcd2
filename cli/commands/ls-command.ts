/** `holdfast ls`: lists the sessions of the workspace, even while its machine is offline. */
import { print, printJson, say } from '../../node/print.ts';
import { TROUBLE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { ago, sessionTable } from '../client/session-table.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';

export const lsCommand: Command = {
  name: 'ls',
  summary: 'list the sessions',
  about: `Lists the sessions of the workspace, those that want attention first. While its machine is offline, shows their last
known state.`,
  options: {
    json: { meaning: 'print the sessions as the HTTP API returns them: {agent, sessions}' },
    quiet: { short: 'q', meaning: 'print ids only, one per line' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast ls', 'all sessions'],
    [`holdfast ls --json | jq '.sessions[].name'`, 'their names, for scripts'],
  ],
  run: (input) =>
    withClient(clientSettings(input), async (client) => {
      const agent = client.state.name === 'live' ? client.state.agent : null;
      const isOnline = agent?.state === 'online';
      // The running program and its directory change by themselves, so the agent is asked if it is online.
      if (isOnline) await client.refresh();
      const sessions = await client.list({ people: true });
      if (input.has('json')) printJson({ agent, sessions }, 2);
      else if (input.has('quiet')) for (const { id } of sessions) print(id);
      else if (sessions.length > 0) print(sessionTable(sessions, new Date()));
      if (!isOnline) say(`holdfast: the machine is offline${sinceOf(agent?.since ?? null)}`);
      else if (agent?.trouble !== undefined) say(`holdfast: ${printable(agent.trouble, TROUBLE_MAX_CHARS)}`);
      if (isOnline && sessions.length === 0) say('holdfast: no sessions; `holdfast new` starts one');
      return EXIT.ok;
    }),
};

function sinceOf(since: string | null): string {
  return since === null ? '; it has never connected' : ` since ${ago(new Date(since), new Date())}`;
}
