/** `holdfast invite`: makes a code with which one machine joins, and prints the line to paste there. */

import { isLoopbackHost } from '../../node/loopback.ts';
import { print, say } from '../../node/print.ts';
import { readCode } from '../../protocol/owner-answers.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { findOwner, OWNER_OPTIONS } from './find-owner.ts';
import { askAsOwner } from './owner-request.ts';

export const inviteCommand: Command = {
  name: 'invite',
  summary: 'let a machine join, with a code that works once',
  about: `Prints one line to paste on the machine that is to join. It works once, within 10 minutes. Run it where
\`holdfast up\` or \`holdfast deploy\` ran: it needs the key of the relay's owner.`,
  options: {
    machine: {
      value: '<name>',
      meaning: 'the name that it gets; a machine of this name is replaced, as after a reinstallation',
    },
    ...OWNER_OPTIONS,
  },
  examples: [
    ['holdfast invite', "prints: holdfast join https://relay.example.com '#…'"],
    ['holdfast invite --machine build-7', 'for the machine that replaces build-7'],
  ],
  async run(input) {
    const machine = input.text('machine');
    if (machine !== undefined && !WORKSPACE_NAME.test(machine))
      throw new UsageError('--machine needs a name of 1 to 64 letters, digits, - and _');
    const owned = await findOwner(input);
    const body = machine === undefined ? {} : { machine };
    const code = await askAsOwner(owned, '/api/owner/invites', readCode, { method: 'POST', body });
    const { origin, hostname } = owned.relay;
    if (isLoopbackHost(hostname))
      say(`holdfast invite: ${origin} can be reached from this machine only, so only this machine can join`);
    say('Paste this on the machine within 10 minutes; it works once:');
    print(`holdfast join ${origin} '#${code}'`);
    return EXIT.ok;
  },
};
