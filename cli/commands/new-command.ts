/** `holdfast new`: starts a session and prints its id. */

import type { CreateOptions } from '../../client/workspace-client.ts';
import { print, printJson } from '../../node/print.ts';
import { attachTo } from '../attach/attach-to.ts';
import { CLIENT_OPTIONS, clientSettings } from '../client/client-settings.ts';
import { withClient } from '../client/connect.ts';
import type { Command, Input } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { ATTACH_OPTIONS, attachOptions } from './attach-command.ts';

const DEFAULT_SIZE = { cols: 80, rows: 24 };

export const newCommand: Command = {
  name: 'new',
  summary: 'start a session',
  operands: '[-- <command> <argument>...]',
  about: `Starts a session on the machine and prints its id. It runs the user's shell, or the command after \`--\`,
until its program ends or somebody closes it, whether or not anybody is attached.`,
  options: {
    name: { value: '<name>', short: 'n', meaning: 'name for people; other commands accept it too' },
    key: { value: '<key>', meaning: 'start only once: reuse the running session with this key' },
    cwd: { value: '<directory>', meaning: 'working directory, default: the home directory' },
    env: {
      value: '<name=value>',
      short: 'e',
      multiple: true,
      meaning: 'add an environment variable; may be repeated',
    },
    size: { value: '<cols>x<rows>', meaning: 'size, default: that of this window with --attach, else 80x24' },
    attach: { short: 'a', meaning: 'attach at once, as `holdfast attach` does' },
    json: { meaning: 'print the session as the HTTP API describes it' },
    ...ATTACH_OPTIONS,
    ...CLIENT_OPTIONS,
  },
  examples: [
    ['holdfast new --attach', 'a shell in this terminal'],
    [
      'holdfast new --name build --cwd /srv/app -- make -j4',
      'a build that keeps running when you disconnect',
    ],
    ['holdfast new --key tests -- npm test', 'started only once, even if this is repeated'],
  ],
  async run(input) {
    const wanted = sessionWanted(input);
    const settings = clientSettings(input);
    const how = input.has('attach') ? attachOptions(input) : null;
    return withClient(settings, async (client, connected) => {
      const session = await client.create(wanted);
      if (how !== null) return attachTo(connected, session, how);
      if (input.has('json')) printJson(session, 2);
      else print(session.id);
      return EXIT.ok;
    });
  },
};

function sessionWanted(input: Input): CreateOptions {
  if (input.operands.length > 0)
    throw new UsageError(`put the command after \`--\`: holdfast new -- ${input.operands.join(' ')}`);
  const [command, ...args] = input.rest ?? [];
  if (input.rest !== undefined && command === undefined) throw new UsageError('no command given after `--`');
  const [name, key, cwd] = ['name', 'key', 'cwd'].map((option) => input.text(option));
  const env = environment(input.list('env'));
  return {
    ...sizeWanted(input),
    ...(name === undefined ? {} : { name }),
    ...(key === undefined ? {} : { key }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(command === undefined ? {} : { command, args }),
    ...(env === undefined ? {} : { env }),
  };
}

function sizeWanted(input: Input) {
  const text = input.text('size');
  const { columns, rows: lines } = process.stdout;
  if (text === undefined)
    return input.has('attach') && columns && lines ? { cols: columns, rows: lines } : DEFAULT_SIZE;
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (!cols || !rows || cols > 1000 || rows > 1000)
    throw new UsageError('--size needs columns and rows from 1 to 1000, such as 120x40');
  return { cols, rows };
}

function environment(pairs: readonly string[]): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--env needs name=value, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
