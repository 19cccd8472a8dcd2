/** Every `holdfast …` line in the docs is valid: the command and its options exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInput } from '../../../cli/command-line/command.ts';
import { COMMANDS } from '../../../cli/commands/commands.ts';
import { SETTINGS } from '../../../vm-agent/settings/config.ts';
import { ROOT } from '../../repository/imports.ts';

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  ),
].map((name) => (name === 'README.md' ? name : `docs/${name}`));

interface Line {
  readonly page: string;
  readonly line: string;
}

/** Of blocks with commands, whatever stands before them on their line: a variable, a pipe, `npx`. */
function linesIn(page: string): Line[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:sh|console|ini)\n([\s\S]*?)^```$/gm);
  return [...blocks]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((text) => text.split(/&&|\||;|\$\(|<\(/))
    .map((text) => /(?:^|[\s/])holdfast ([a-z]+(?: .*)?)$/.exec(text.replace(/ #.*$/, '').trim())?.[1])
    .filter((line) => line !== undefined && !line.startsWith('.'))
    .map((line) => ({ page, line: line ?? '' }));
}

/** As a shell would cut it; quotes hold together what they are around. */
function wordsOf(line: string): string[] {
  const plain = line.replace(/[<>]+ *\S*$|\)$|2?> \S+/g, '');
  return [...plain.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}

const lines = pages.flatMap(linesIn);

describe('the docs', () => {
  it('show enough command lines to be worth testing', () => {
    expect(lines.length).toBeGreaterThan(40);
  });

  it.each(lines)('$page: holdfast $line', ({ line }) => {
    const [name, ...args] = wordsOf(line);
    const command = COMMANDS.find((one) => one.name === name);
    expect(command, 'there is such a command').toBeDefined();
    if (command === undefined) return;
    if (command.name !== 'agent')
      return void readInput(
        command,
        args.filter((word) => word !== '--help'),
      );
    const known = new Set<string>([
      '--json',
      '--help',
      '--env-file',
      ...Object.values(SETTINGS).map(({ flag }) => flag),
    ]);
    for (const flag of args.filter((word) => word.startsWith('--'))) expect(known).toContain(flag);
  });
});
