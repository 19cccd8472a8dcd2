/** The text of `holdfast --help`: the commands in groups, and the settings they share. */
import { COMMANDS } from './commands.ts';

const GROUPS = [
  {
    title: 'Sessions of a workspace',
    names: [
      ...[
        'ls',
        'new',
        'attach',
        'run',
        'send',
        'snapshot',
        'commands',
        'wait',
        'kill',
        'digest',
        'audit',
        'share',
        'mcp',
      ],
    ],
  },
  { title: 'Machines and people', names: ['machines', 'invite', 'join', 'link'] },
  { title: 'Running it', names: ['up', 'down', 'deploy', 'relay', 'agent', 'token', 'agent-key'] },
  { title: 'Your shell', names: ['notify', 'completion'] },
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
    'Holdfast: terminals on a machine you cannot reach. They survive lost connections.',
    '',
    'usage: holdfast <command> [options]      `holdfast <command> --help` explains one, with examples',
    ...groups,
    '',
    'To choose the workspace:',
    '  HOLDFAST_RELAY        address of the relay, or --relay',
    '  HOLDFAST_WORKSPACE    name of the workspace, or --workspace',
    '  HOLDFAST_TOKEN_FILE   file with a token, readable by you only, or --token-file',
    '  HOLDFAST_TOKEN        the token itself, if you cannot use a file',
    '',
    'Exit codes: 0 done, 1 refused, 2 wrong usage, 66 no such session, 69 relay or machine unreachable,',
    '73 shell or keyboard busy, 74 not ended, 75 outcome unknown, 77 not allowed, 124 timed out.',
    'attach, wait and run exit with the code of the program.',
  ].join('\n');
}
