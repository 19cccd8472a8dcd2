/** The example in docs/client.md does what it says. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { World } from '../support/world.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/node-client/run-command.ts', import.meta.url));

async function run(world: World, ...command: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [EXAMPLE, `${world.relay.url}`, world.relay.workspace, ...command], {
    env: { HOLDFAST_TOKEN: await world.relay.token('operator') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  return { output: await text(child.stdout), code: await ended };
}

it('a program of sixty lines runs a command and prints its output', async () => {
  await using world = await World.open();
  expect(await run(world, 'sh', '-c', 'seq 1 20000; exit 3')).toEqual({
    code: 3,
    output: Array.from({ length: 20_000 }, (_, at) => `${at + 1}\r\n`).join(''),
  });
});
