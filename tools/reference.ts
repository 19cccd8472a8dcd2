/**
 * Generates docs/configuration.md from the code: the agent's settings, the Worker's declared settings, the options of
 * every command, and the limits of the protocol. Pure functions; write-reference.ts handles the files.
 */

import { CLIENT_OPTIONS } from '../cli/client/client-settings.ts';
import type { Command, Option } from '../cli/command-line/command.ts';
import { COMMANDS } from '../cli/commands/commands.ts';
import { DEFAULT_ENV_FILE, SETTINGS } from '../vm-agent/settings/config.ts';

/** The sources whose comments explain what they declare. */
export interface Sources {
  /** worker/http/env.ts */
  readonly relaySettings: string;
  /** protocol/limits.ts */
  readonly limits: string;
}

export function configurationReference(sources: Sources): string {
  return [
    '# Configuration',
    '',
    '<!-- Written by `npx node tools/write-reference.ts` from the code; a test compares. Do not edit. -->',
    '',
    'Every setting of every program. [agent.md](agent.md), [relay.md](relay.md) and [cli.md](cli.md) explain how they are used.',
    '',
    ...agentSection(),
    ...relaySection(sources.relaySettings),
    ...clientSection(),
    ...COMMANDS.filter(({ readsItsOwn }) => readsItsOwn === undefined).flatMap(commandSection),
    ...limitsSection(sources.limits),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function agentSection(): string[] {
  const rows = Object.values(SETTINGS).map((setting) => {
    const { variable, flag, fallback, meaning, wanted } = setting;
    const plain = fallback === undefined ? 'required' : fallback === '' ? '–' : code(`${fallback}`);
    const value = 'fallbackText' in setting ? (setting.fallbackText ?? plain) : plain;
    return [code(variable), code(flag), value, meaning, wanted];
  });
  return [
    '## The agent',
    '',
    `\`holdfast agent\`, or \`node agent/keeper.js\`. \`--no-keeper\` runs everything in one process. A flag wins over a variable, a variable over the settings file, which is \`${DEFAULT_ENV_FILE}\` or what \`--env-file\` names. For a bad value, the agent prints one sentence and exits with code 2.`,
    '',
    ...table(['variable', 'flag', 'default', 'means', 'a value is'], rows),
  ];
}

function relaySection(source: string): string[] {
  const rows = documented(source, /readonly (RELAY_\w+)(\??):/)
    // `?` marks optional settings.
    .map(({ comment, match }) => [code(match[1] ?? ''), match[2] === '?' ? '–' : 'required', comment]);
  return [
    '## The relay',
    '',
    'Variables or secrets of the Worker where it is deployed ([deploy.md](deploy.md#settings-and-secrets)). `holdfast relay`, `holdfast up`, `npm start` and `npm run dev` pass them on from their environment, except `RELAY_SECRET`, which they keep in a file.',
    '',
    ...table(['variable', 'default', 'means'], rows),
    '`npm start` and `npm run dev` also take `PORT`, `HOST` and `HOLDFAST_STATE_DIR`, with the same meaning as for `holdfast relay`.',
    '',
  ];
}

function clientSection(): string[] {
  return [
    '## Every client command',
    '',
    '`holdfast ls`, `new`, `attach`, `send`, `snapshot`, `wait`, `kill` and `agent-key` take these in addition to their own. `HOLDFAST_TOKEN` is the token itself, if you cannot use a file. It overrides `HOLDFAST_TOKEN_FILE`, and `--token-file` overrides it.',
    '',
    ...optionTable(Object.entries(CLIENT_OPTIONS)),
  ];
}

function commandSection({ name, summary, operands, options }: Command): string[] {
  const own = Object.entries(options).filter(([, option]) => !SHARED.has(option));
  const usage = `holdfast ${name}${Object.keys(options).length > 0 ? ' [options]' : ''}${operands === undefined ? '' : ` ${operands}`}`;
  return [
    `## holdfast ${name}`,
    '',
    `\`${usage}\`: ${summary}.`,
    '',
    ...(own.length > 0 ? optionTable(own) : []),
  ];
}

const SHARED: ReadonlySet<Option> = new Set(Object.values(CLIENT_OPTIONS));

function optionTable(options: readonly (readonly [long: string, option: Option])[]): string[] {
  const rows = options.map(([long, option]) => [
    code(flagOf(long, option)),
    variableOf(option.meaning),
    option.meaning.replace(VARIABLE, ''),
  ]);
  return table(['flag', 'variable', 'means'], rows);
}

const VARIABLE = / \(([A-Z][A-Z_]+)\)/;

function variableOf(meaning: string): string {
  const [, name] = VARIABLE.exec(meaning) ?? [];
  return name === undefined ? '–' : code(name);
}

function flagOf(long: string, { value, short }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` ${value}`}`;
}

function limitsSection(source: string): string[] {
  const rows = documented(source, /export const (\w+) = (.+);/).map(({ comment, match }) => [
    code(match[1] ?? ''),
    match[2] ?? '',
    comment,
  ]);
  return [
    '## What cannot be configured',
    '',
    'The limits of the protocol, in `protocol/limits.ts`. Both ends rely on them.',
    '',
    ...table(['bound', 'is', 'because'], rows),
  ];
}

/** Declarations of a source with the comment above each, as one line. */
function documented(source: string, declaration: RegExp) {
  const commented = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*${declaration.source}`, 'g');
  return [...source.matchAll(commented)].map(([, comment = '', ...rest]) => ({
    comment: comment
      .replace(/^\s*\* ?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
    match: ['', ...rest],
  }));
}

const code = (text: string) => `\`${text}\``;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line), ''];
}
