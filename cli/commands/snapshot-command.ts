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
    command: { value: '<number>', meaning: 'only what this command printed; see `holdfast commands`' },
    json: { meaning: 'print {data, cols, rows, offset, cursor?, truncated?}' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast snapshot build', 'the screen as it is now'],
    ['holdfast snapshot build --command 12', 'what command 12 printed'],
    ['holdfast snapshot build --history | grep -i error', 'searches all lines that are kept'],
  ],
  async run(input) {
    const format = FORMATS.find((one) => one === (input.text('format') ?? 'text'));
    if (format === undefined) throw new UsageError('--format must be text, ansi or html');
    const command = input.text('command');
    if (command !== undefined && !/^\d{1,9}$/.test(command))
      throw new UsageError('--command must be the number of a command');
    if (command !== undefined && input.has('history'))
      throw new UsageError('--command and --history exclude each other');
    const [meant] = input.operands;
    return withClient(clientSettings(input), async (client) => {
      const { id } = await sessionMeant(client, meant);
      const { bytes, ...place } = await (command === undefined
        ? client.snapshot(id, format, input.has('history') ? 'all' : 'screen')
        : client.commandOutput(id, Number(command), format));
      const isTerminal = process.stdout.isTTY === true;
      if (input.has('json')) printJson({ data: new TextDecoder().decode(bytes), ...place }, 2);
      else process.stdout.write(snapshotText({ format, bytes, size: place, isTerminal }));
      return EXIT.ok;
    });
  },
};
