/** `holdfast snapshot`: prints the current screen of a session. */

import { printJson } from '../../node/print.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import { sessionMeant } from '../client/find-session.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { snapshotText } from './snapshot-text.ts';

const FORMATS = ['text', 'ansi', 'html'] as const;

export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: 'print the screen of a session',
  operands: '[<session>]',
  about: `Prints the screen of a session; with --history, also the lines above it. Attached clients are not affected. Without a
session, uses the only running one.

Control characters are left out, and ansi has only sequences that draw, as with \`attach\`, also in a file or a pipe.
--json has everything, escaped.`,
  options: {
    format: {
      value: '<format>',
      short: 'f',
      meaning: 'text, ansi (for a terminal) or html, default: text',
    },
    history: { meaning: 'include the lines above the screen' },
    json: { meaning: 'print {data, cols, rows, offset}' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast snapshot build', 'the screen as it is now'],
    ['holdfast snapshot build --history | grep -i error', 'searches all lines that are kept'],
  ],
  async run(input) {
    const format = FORMATS.find((one) => one === (input.text('format') ?? 'text'));
    if (format === undefined) throw new UsageError('--format must be text, ansi or html');
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client) => {
      const { id } = await sessionMeant(client, meant);
      const { bytes, ...place } = await client.snapshot(id, format, input.has('history') ? 'all' : 'screen');
      const isTerminal = process.stdout.isTTY === true;
      if (input.has('json')) printJson({ data: new TextDecoder().decode(bytes), ...place }, 2);
      else process.stdout.write(snapshotText({ format, bytes, size: place, isTerminal }));
      return EXIT.ok;
    });
  },
};
