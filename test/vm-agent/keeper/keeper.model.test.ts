/**
 * The promise of the keeper, tested with random stories: whenever the agent is killed or the keeper is replaced, and
 * whatever is lost on the way, the next one sees everything that was printed, and programs read what was typed, once.
 *
 * HOLDFAST_RUNS raises the number of stories and HOLDFAST_SEED repeats them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProperty, randomness } from '../../support/property.ts';
import { TEST_WITHIN_MS } from '../../support/time-limit.ts';
import { inputAt } from './model-pty.ts';
import { HANDLES, KeeperWorld } from './model-world.ts';

const RUNS = Number(process.env.HOLDFAST_RUNS ?? 250);

const handle = fc.constantFrom(...HANDLES);
const client = fc.nat({ max: 3 });
/** A few bytes cut frames anywhere; many let a story go on. */
const pieces = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2000 }), fc.constant(1_000_000));
const printed = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 100 }) },
  { weight: 1, arbitrary: fc.nat({ max: 200_000 }) },
);
const start = fc.constantFrom('all', 'all', 'without blobs', 'without replay');

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('down'), count: pieces }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('up'), count: pieces }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('print'), handle, count: printed }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('type'), client, count: fc.nat({ max: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('spawn'), handle }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill'), count: pieces }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('upgrade'), count: pieces }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('attach'), start }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reads'), handle, is: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause'), handle, is: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resize'), handle, cols: fc.nat({ max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retain'), handle, back: fc.nat({ max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resend'), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('part'), handle, count: fc.nat({ max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('exit'), handle, code: fc.nat({ max: 255 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave'), handle }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('window'), handle, bytes: fc.constantFrom(50, 2000, 65_536) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'away' }) },
) as fc.Arbitrary<Step>;

type Step =
  | { do: 'down' | 'up' | 'kill' | 'upgrade'; count: number }
  | { do: 'print' | 'part'; handle: number; count: number }
  | { do: 'type'; client: number; count: number }
  | { do: 'spawn' | 'leave'; handle: number }
  | { do: 'window'; handle: number; bytes: number }
  | { do: 'attach'; start: 'all' | 'without blobs' | 'without replay' }
  | { do: 'reads' | 'pause'; handle: number; is: boolean }
  | { do: 'resize'; handle: number; cols: number }
  | { do: 'retain'; handle: number; back: number }
  | { do: 'resend'; client: number }
  | { do: 'exit'; handle: number; code: number }
  | { do: 'away' };

async function perform(world: KeeperWorld, step: Step): Promise<void> {
  const pty = 'handle' in step ? world.ptys.get(step.handle) : undefined;
  const seen = 'handle' in step ? world.terminal(step.handle) : undefined;
  switch (step.do) {
    case 'down':
      return world.deliverDown(step.count);
    case 'up':
      return world.deliverUp(step.count);
    case 'kill':
      return world.kill(step.count);
    case 'upgrade':
      return world.upgrade(step.count);
    case 'part':
      return pty?.takesPart(step.count);
    case 'attach':
      return world.attach(step.start);
    case 'spawn':
      return world.spawn(step.handle);
    case 'print':
      return pty?.prints(step.count);
    case 'exit':
      return pty?.exits(step.code);
    case 'retain':
      return world.retain(step.handle, step.back);
    case 'leave':
      return world.leave(step.handle);
    case 'window':
      return seen?.terminal.pty.readAtMost(step.bytes);
    case 'resize':
      return seen?.exits === 0 ? seen.terminal.resize({ cols: step.cols, rows: 24 }) : undefined;
    case 'away':
      return world.isAwayForLong();
  }
  if ('client' in step) {
    const who = world.clients[step.client];
    if (who === undefined) return;
    return step.do === 'type' ? world.type(who, step.count) : world.resend(who);
  }
  if (step.do === 'reads' && pty !== undefined) {
    pty.isReading = step.is;
    if (step.is) pty.readsInput();
  }
  if (step.do !== 'pause' || seen === undefined) return;
  seen.isPaused = step.is;
  if (step.is) return seen.terminal.pty.pause();
  seen.terminal.pty.resume();
  await new Promise(setImmediate);
}

/** Once, in order, and never acknowledged before it was read. */
function expectTypedOnce(world: KeeperWorld): void {
  for (const { handle, instance, typed, taken } of world.clients) {
    const read = world.ptys.get(handle)?.readOf(instance) ?? '';
    // Checked after every step of every story: `expect` is called only to report a failure.
    if (read.length > typed || read !== inputAt(instance, 0, read.length).toString('latin1'))
      expect.fail(`${instance} typed ${typed} bytes, and the program read ${read}`);
    if (taken > read.length) expect.fail(`${taken} bytes were acknowledged, and ${read.length} were read`);
  }
}

/** The agent has seen everything, everything typed was read, and everybody knows. */
function expectWhole(world: KeeperWorld): void {
  expect(world.agent?.isReady).toBe(true);
  for (const [handle, pty] of world.ptys) {
    const seen = world.terminal(handle);
    expect(seen?.terminal.ring.end).toBe(pty.printed);
    expect(seen?.terminal.sizes.current).toEqual(pty.size);
    expect(seen?.exits).toBe(pty.exit === null ? 0 : 1);
    expect(pty.isPaused).toBe(false);
    if (pty.exit !== null) continue;
    expect(seen?.terminal.pty).toHaveProperty('backlogBytes', 0);
    for (const { typed, taken, ...client } of world.clients) {
      if (client.handle !== handle) continue;
      expect(pty.readOf(client.instance).length).toBe(typed);
      expect(taken).toBe(typed);
    }
  }
}

describe('a keeper that is replaced, with agents that are killed, at any point', () => {
  it(
    `[K1] [K2] [K3] [K4] [F26] loses and doubles nothing that is printed or typed (HOLDFAST_SEED=${randomness().seed})`,
    async () => {
      await checkProperty(
        'keeper',
        fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
          const world = new KeeperWorld();
          world.attach('all');
          await world.deliverDown(1000);
          world.spawn(HANDLES[0]);
          for (const next of steps) {
            await perform(world, next);
            world.ptysRead();
            expectTypedOnce(world);
            world.expectBounds();
          }
          await world.heal();
          expectTypedOnce(world);
          expectWhole(world);
          world.kill(0);
          await world.heal();
          expectWhole(world);
        }),
        { numRuns: RUNS },
      );
    },
    TEST_WITHIN_MS + RUNS * 50,
  );
});
