/** `holdfast agent-key`: shows or resets the agent key that a workspace has pinned. */

import { print, say } from '../../node/print.ts';
import { readPinnedKey } from '../../protocol/pinned-key.ts';
import { printable } from '../../protocol/printable.ts';
import { apiRequest } from '../client/api-request.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

export const agentKeyCommand: Command = {
  name: 'agent-key',
  summary: 'show or reset the pinned key of the machine',
  operands: '<show|reset>',
  about: `A workspace pins the key of the first agent that offers one, and refuses agents with another key.
\`show\` prints the fingerprint of the pinned key; \`holdfast agent doctor\` on the machine prints that of its own key.
\`reset\` removes the pin: the key of the next agent that offers one is pinned. A connected agent stays connected.
If an agent token was stolen, revoke it first: otherwise the thief may be the next agent. Both need an operator token.`,
  options: CLIENT_OPTIONS,
  examples: [
    ['holdfast agent-key show', 'SHA256:…, when it was pinned, and by which token'],
    ['holdfast agent-key reset', 'after the machine was rebuilt'],
  ],
  async run(input) {
    const [what] = input.operands;
    if (what !== 'show' && what !== 'reset') throw new UsageError('no action given; use show or reset');
    const ask = apiRequest(clientSettings(input));
    if (what === 'reset') {
      await ask('agent-key', 'DELETE');
      say('holdfast: pin removed; the key of the next agent that offers one is pinned');
      return EXIT.ok;
    }
    const line = lineOf(await ask('agent-key'));
    if (line === null) say('holdfast: no key is pinned; the key of the next agent that offers one is pinned');
    else print(line);
    return EXIT.ok;
  },
};

/** Makes the relay's answer safe to print. */
function lineOf(answer: unknown): string | null {
  const pinned = readPinnedKey(answer);
  if (pinned === undefined)
    throw new CommandError(EXIT.failed, 'the relay answered with something else than an agent key');
  if (pinned.key === null) return null;
  const { fingerprint, pinnedAt, pinnedBy } = pinned.key;
  return printable(`${fingerprint} since ${pinnedAt ?? 'an unknown time'}, pinned by the token ${pinnedBy}`);
}
