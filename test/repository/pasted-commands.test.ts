/** Which commands of the docs `npx node test/docs/run.ts` runs: all except those that need an account. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filledIn, kindOf, PAGES, pastedCommands } from '../docs/pasted-commands.ts';
import { ROOT } from './imports.ts';

const commandsOf = (page: string) => pastedCommands(page, readFileSync(join(ROOT, 'docs', page), 'utf8'));
const all = PAGES.flatMap(commandsOf);

describe('commands to paste', () => {
  it('[U16] are found in blocks of sh, joined across backslashes, without their comments', () => {
    const page = ['```sh', 'one \\', '  two # said', '```', '```ini', 'no=command', '```', 'text'].join('\n');
    expect(pastedCommands('page.md', page)).toEqual([
      { page: 'page.md', line: 3, text: 'one    two', kind: 'plain' },
    ]);
  });

  it.each([
    ['npx wrangler login', 'account'],
    ['npm run deploy', 'account'],
    ['npx holdfast deploy', 'account'],
    ['npm ci', 'network'],
    ['holdfast relay --state-dir x', 'stays'],
    ["su - dev -c 'node /opt/holdfast/agent/keeper.js'", 'stays'],
    ["su - dev -c 'node /opt/holdfast/agent/main.js doctor'", 'plain'],
    ['useradd dev', 'plain'],
  ])('[U16] %s: %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('[U16] have no placeholder except the repository and the name of an account', () => {
    const open = all.filter(({ text, kind }) => kind !== 'account' && /<[a-z ]+>/.test(filledIn(text, '/x')));
    expect(open).toEqual([]);
    expect(all.length).toBeGreaterThan(25);
  });

  it.each([
    ['agent.md', /^useradd .* dev$/, /^install .* -o dev /],
    ['agent.md', /^mkdir -p .*\/etc\/workspace/, /\/etc\/workspace\//],
    ['self-hosting.md', /^useradd .* holdfast$/, /^systemctl enable/],
  ])('[U16] %s creates what it names (%s) before it uses it (%s)', (page, makes, uses) => {
    const texts = commandsOf(page).map(({ text }) => text);
    const [made, used] = [
      texts.findIndex((text) => makes.test(text)),
      texts.findIndex((text) => uses.test(text)),
    ];
    expect(made).toBeGreaterThanOrEqual(0);
    expect(used).toBeGreaterThan(made);
  });

  it('[U16] use no program that a plain Debian lacks', () => {
    expect(all.filter(({ text }) => /\bsudo\b/.test(text))).toEqual([]);
  });
});
