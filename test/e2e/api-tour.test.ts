/** Runs the tour of docs/api.md: every command in order, in one shell, compared with the documented output. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runInOneShell } from '../support/one-shell.ts';
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

/** `…` stands for anything. */
function asPattern(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*?')}$`);
}

it('[R2] every command of the tour prints the documented output', async () => {
  const steps = stepsIn(await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8'));
  expect(steps.length).toBeGreaterThan(20);
  await using world = await World.open();
  await world.api();
  await expect.poll(async () => (await world.health()).clients).toBe(0);
  const env = {
    RELAY: world.relay.url.origin,
    WORKSPACE: world.relay.workspace,
    TOKEN: await world.relay.token('operator'),
  };
  const printed = await runInOneShell(
    steps.map(({ command }) => command),
    { env },
  );
  expect(printed).toHaveLength(steps.length);
  steps.forEach(({ command, output }, i) => {
    expect(printed[i]?.trimEnd(), command).toMatch(asPattern(output));
  });
});
