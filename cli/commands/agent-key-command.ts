/** `holdfast agent-key`: shows or resets the agent key that a workspace has pinned. */

import { print, say } from '../../node/print.ts';
import { errorSentence } from '../../protocol/error-reply.ts';
import { printable } from '../../protocol/printable.ts';
import { CLIENT_OPTIONS, type ClientSettings, clientSettings } from '../client/client-settings.ts';
import type { Command } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** A relay that answers at all answers sooner. */
const ANSWER_WITHIN_MS = 10_000;

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
    const settings = clientSettings(input);
    if (what === 'reset') {
      await ask(settings, 'DELETE');
      say('holdfast: pin removed; the key of the next agent that offers one is pinned');
      return EXIT.ok;
    }
    const { key } = (await ask(settings, 'GET')) as { key: Record<string, unknown> | null };
    if (key === null) say('holdfast: no key is pinned; the key of the next agent that offers one is pinned');
    else print(lineOf(key));
    return EXIT.ok;
  },
};

/** Makes the relay's answer safe to print. */
function lineOf({ fingerprint, pinnedAt, pinnedBy }: Record<string, unknown>): string {
  return printable(`${fingerprint} since ${pinnedAt ?? 'an unknown time'}, pinned by the token ${pinnedBy}`);
}

async function ask(
  { relay, workspace, readToken }: ClientSettings,
  method: 'GET' | 'DELETE',
): Promise<unknown> {
  const reading = readToken();
  if (!reading.ok) throw new CommandError(EXIT.usage, reading.why);
  const url = new URL(`/api/workspaces/${workspace}/agent-key`, relay);
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${reading.token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch(() => {
    throw new CommandError(
      EXIT.unavailable,
      `the relay at ${relay.origin} cannot be reached; check the address`,
    );
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  const isOurs = response.status === 401 || response.status === 403;
  const sentence = printable(errorSentence(body) ?? `the relay answered ${response.status}`);
  throw new CommandError(isOurs ? EXIT.notAllowed : EXIT.failed, sentence);
}
