/** docs/api-tour.md, run: every command in it, in order, in one shell, and what each prints. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { World } from '../support/world.ts';

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands of a page and what it says they print. */
function stepsIn(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.trimEnd().split('\n');
        return { command, output: output.join('\n') };
      }),
  );
}

/** What the commands print, run one after the other in one shell. */
function run(commands: readonly string[], env: Record<string, string>): Promise<string[]> {
  const script = commands.map((command) => `${command}\nprintf '\\036'`).join('\n');
  const shell = spawn('bash', ['-c', script], { env: { ...process.env, ...env } as NodeJS.ProcessEnv });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      printed += text;
    });
  }
  return new Promise((resolve) => shell.on('close', () => resolve(printed.split('\x1e').slice(0, -1))));
}

/** `…` stands for anything. */
function asPattern(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*?')}$`);
}

it('[R2] every command of the tour prints what the tour says', async () => {
  const steps = stepsIn(await readFile(new URL('../../docs/api-tour.md', import.meta.url), 'utf8'));
  expect(steps.length).toBeGreaterThan(20);
  await using world = await World.open();
  await world.api();
  await expect.poll(async () => (await world.health()).clients, { timeout: 10_000 }).toBe(0);
  const printed = await run(
    steps.map(({ command }) => command),
    {
      RELAY: world.relay.url.origin,
      WORKSPACE: world.relay.workspace,
      TOKEN: await world.relay.token('operator'),
    },
  );
  expect(printed).toHaveLength(steps.length);
  steps.forEach(({ command, output }, i) => {
    expect(printed[i]?.trimEnd(), command).toMatch(asPattern(output));
  });
});
