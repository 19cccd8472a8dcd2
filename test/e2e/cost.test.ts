/** The cost of a terminal: messages into the object, which the platform bills. Figures for docs/evidence/cost.md. */
import { expect, it } from 'vitest';
import type { Screen } from '../../client/screen.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

/** Full frames and the acknowledgements of them, … */
const FLOOD_MAX_PER_MIB = 20;
/** … and those that were not full when their 4 ms were over. */
const FLOOD_MAX_PER_S = 250;
/** A key, its acknowledgement, its echo, and the acknowledgement of that. */
const PER_KEY_MAX = 4;

async function counted(
  world: World,
  act: () => Promise<void>,
): Promise<{ messages: number; seconds: number }> {
  const before = await world.relay.counts();
  const began = performance.now();
  await act();
  const { messages } = await world.relay.counts();
  return { messages: messages - before.messages, seconds: (performance.now() - began) / 1000 };
}

it('[S1] a key costs at most four messages', async () => {
  await using world = await World.open();
  const { session, screen } = await (await world.client()).open();
  await screen.sees(/\$/);
  const keys = 50;
  const { messages } = await counted(world, async () => {
    for (let i = 1; i <= keys; i++) {
      typeInto(session, 'k');
      await screen.sees(new RegExp(`k{${i}}`));
    }
  });
  console.log(`typing: ${(messages / keys).toFixed(2)} messages a key`);
  expect(messages / keys).toBeLessThanOrEqual(PER_KEY_MAX);
});

/** Takes everything at once, faster than any page: the worst that a watched program can do to the relay. */
class Sink implements Screen {
  bytes = 0;
  #tail = '';
  #ended = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.bytes += bytes.length;
    this.#tail = (this.#tail + new TextDecoder().decode(bytes.subarray(-32))).slice(-64);
    if (this.#tail.includes('done')) this.#ended();
    shown();
  }
  reset(): void {}
  resize(): void {}
}

it(`[S1] [OU12] a flood costs at most ${FLOOD_MAX_PER_MIB} messages per MiB and ${FLOOD_MAX_PER_S} per second`, async () => {
  await using world = await World.open();
  const { client } = await world.client();
  const flood = ['-c', 'read go; yes holdfast | head -c 16000000; echo; echo done; read end'];
  const { id } = await client.create({ cols: 80, rows: 24, command: 'sh', args: flood });
  const sink = new Sink();
  const session = client.attach(id, { cols: 80, rows: 24 }, sink);
  const { messages, seconds } = await counted(world, async () => {
    typeInto(session, '\n');
    await sink.ended;
  });
  const rate = messages / seconds;
  const megabytes = sink.bytes / 1e6;
  console.log(
    `flood: ${Math.round(rate)} messages/s at ${(megabytes / seconds).toFixed(1)} MB/s: ${(messages / megabytes).toFixed(1)} per MB`,
  );
  const allowed = FLOOD_MAX_PER_S * seconds + FLOOD_MAX_PER_MIB * (sink.bytes / 2 ** 20);
  expect(messages).toBeLessThanOrEqual(allowed);
});

it('[RL9] an idle page and agent, or a session that prints while nobody is attached, cost no message', async () => {
  await using world = await World.open();
  const client = await world.client();
  const { id, session, screen } = await client.open();
  await screen.sees(/\$/);
  typeInto(session, 'while sleep 0.1; do echo tick; done\n');
  await screen.sees(/tick\s+tick/);
  client.client.detach(id);
  // The detaching itself costs messages; then none follow, for a second of ticks.
  await expect
    .poll(async () => (await counted(world, () => new Promise((r) => setTimeout(r, 300)))).messages)
    .toBe(0);
  const { messages } = await counted(world, () => new Promise((r) => setTimeout(r, 1000)));
  expect(messages).toBe(0);
});
