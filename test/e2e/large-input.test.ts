/** The fastest input of a person reaches the program completely: a large paste, and a mouse that reports every move. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { World } from '../support/world.ts';

const PASTE_BYTES = 2 ** 20;
const MOVES = 1_000;

it('[SEC10] [RL12] [IN6] a paste of 1 MiB and a thousand mouse moves in mode 1003 arrive complete and in order', async () => {
  const paste = Buffer.from(Array.from({ length: PASTE_BYTES }, (_, i) => 33 + ((i * 7 + (i >> 8)) % 90)));
  const moves = Array.from({ length: MOVES }, (_, i) => Buffer.from(`\x1b[<35;${i % 200};${i % 60}M`));
  const all = Buffer.concat([paste, ...moves]);
  await using world = await World.open();
  const program = `stty raw -echo; printf '\\033[?1003h\\033[?1006hready'; head -c ${all.length} | sha256sum; read x`;
  const client = await world.client();
  const { session, screen } = await client.open('sh', ['-c', program]);
  await screen.sees(/ready/);
  session.type(new Uint8Array(paste));
  for (const move of moves) session.type(new Uint8Array(move));
  const sum = createHash('sha256').update(all).digest('hex');
  await screen.sees(new RegExp(sum.slice(0, 40)));
  expect(client.client.state.name).toBe('live');
  expect(world.relay.logs.join('\n'), 'nobody was too fast').not.toMatch(/client_too_fast/);
  expect((await world.health()).agent.generation, 'and no link was lost for it').toBe(1);
});
