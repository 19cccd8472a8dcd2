/** The text of `holdfast --help`: the commands in groups, and the settings they share. */
import { COMMANDS } from './commands.ts';

const GROUPS = [
  {
    title: 'Sessions of a workspace',
    names: ['ls', 'new', 'attach', 'send', 'snapshot', 'wait', 'kill', 'audit'],
  },
  { title: 'Running it', names: ['relay', 'agent', 'token', 'agent-key'] },
  { title: 'Your shell', names: ['completion'] },
] as const;

export function overview(): string {
  const groups = GROUPS.flatMap(({ title, names }) => [
    '',
    `${title}:`,
    ...names.map((name) => {
      const command = COMMANDS.find((one) => one.name === name);
      return `  ${name.padEnd(12)}${command?.summary ?? ''}`;
    }),
  ]);
  return [
    'Holdfast: terminals on a machine you cannot reach, which outlive every connection.',
    '',
    'usage: holdfast <command> [options]      `holdfast <command> --help` explains one, with examples',
    ...groups,
    '',
    'Where the workspace is:',
    '  HOLDFAST_RELAY        address of the relay, or --relay',
    '  HOLDFAST_WORKSPACE    name of the workspace, or --workspace',
    '  HOLDFAST_TOKEN_FILE   file with a token, readable by you only, or --token-file',
    '  HOLDFAST_TOKEN        the token itself, where a file is not possible',
    '',
    'Exit codes: 0 done, 1 refused, 2 not understood, 66 no such session, 69 relay or machine out of reach,',
    '75 may have happened or not, 77 not allowed, 124 timed out. attach and wait pass on the code of the program.',
  ].join('\n');
}
