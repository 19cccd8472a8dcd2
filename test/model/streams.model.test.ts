/**
 * The promise of the product, tested with random stories: everything shown was printed, and the program received what
 * was typed, once, whatever is cut, delayed, forgotten, restarted or slow in between.
 *
 * HOLDFAST_RUNS raises the number of stories and HOLDFAST_SEED repeats them; a failure prints both, and the shortest
 * story that fails.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STALLED_AFTER_MS } from '../../vm-agent/output/delivery-state.ts';
import { checkProperty, randomness } from '../support/property.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { heal } from './heal.ts';
import { FINALES, finale } from './model-finale.ts';
import { anyStep, perform, type Step } from './model-steps.ts';
import { ModelWorld } from './model-world.ts';

const RUNS = Number(process.env.HOLDFAST_RUNS ?? 150);

/** One of them may be a viewer. */
const ROLES = [
  ['operator', 'operator'],
  ['operator', 'viewer'],
] as const;

const story = fc.record({
  /** Small ones overflow in a short story. */
  historyBytes: fc.constantFrom(64, 3000, 200_000),
  /** For good, or so short that a story has the time. */
  graceMs: fc.constantFrom(0, 1_500),
  roles: fc.constantFrom(...ROLES),
  steps: fc.array(anyStep(ROLES[0].length), { maxLength: 100, size: 'max' }),
  ending: fc.constantFrom(...FINALES),
});

/** Nothing is ever shown that was not printed. */
function expectTrueScreens(world: ModelWorld): void {
  for (const { seat } of world.pages) {
    if (seat === undefined) continue;
    const isTrue = world.lives.some(({ printed }) => seat.screen.isTrueTo(printed));
    // Checked after every step of every story: `expect` is called only to report a failure.
    if (!isTrue) expect.fail(`from ${seat.screen.from}: ${seat.screen.text.slice(-80)}`);
    // The exit is not reported before its last byte is shown.
    if (seat.session.state.name !== 'exited') continue;
    expect(world.lives.some(({ hasExited, printed }) => hasExited && seat.screen.isAllOf(printed))).toBe(
      true,
    );
  }
}

/** [OU5] Nobody acknowledges anything here while time passes: the client that the program waited for has stalled. */
function expectNobodyWaitedFor(world: ModelWorld, step: Step): void {
  if (step.do !== 'wait' || step.ms <= STALLED_AFTER_MS || world.life.hasExited) return;
  expect(world.life.pty.paused, 'the program waits for somebody who has stalled').toBe(false);
}

/** Every page shows everything, and nothing waits. */
function expectWhole(world: ModelWorld): void {
  const { life } = world;
  if (!life.hasExited) expect(life.pty.paused).toBe(false);
  for (const { seat } of world.pages) {
    expect(seat?.session.id).toBe(life.sessionId);
    expect(seat?.session.state.name).toBe(life.hasExited ? 'exited' : 'live');
    expect(seat?.screen.isAllOf(life.printed), `${seat?.screen.from} ${seat?.screen.text.length}`).toBe(true);
  }
}

/** Once, in order, and nothing into another life. A program that has ended may have left some of it unread. */
function expectTypedOnce(world: ModelWorld): void {
  for (const { agent, hasExited, pty } of world.lives) {
    const { epoch } = agent.sessions;
    for (const page of world.pages) {
      const isPresent = agent === world.life.agent && page.seat?.epoch === epoch;
      const typed = isPresent ? (page.seat?.typed ?? '') : (page.typedBefore.get(epoch) ?? '');
      const read = page.shareOf(pty.typed);
      if (isPresent && !hasExited) {
        expect(page.seat?.session.unsentBytes).toBe(0);
        expect(read).toBe(typed);
      } else expect(typed.startsWith(read), `${read} of ${typed}`).toBe(true);
    }
  }
}

describe('streams over a relay that keeps no state', () => {
  it(
    `[F21] [AG2] [AG3] [AG4] [OU2] [OU3] [OU5] [OU6] [OU8] [OU10] [OU13] [IN2] [IN4] [IN5] [IN7] everything shown was printed, and typed input is typed once (HOLDFAST_SEED=${randomness().seed})`,
    async () => {
      await checkProperty(
        'streams',
        fc.asyncProperty(story, async ({ historyBytes, graceMs, roles, steps, ending }) => {
          const world = new ModelWorld(roles, historyBytes, graceMs);
          await heal(world);
          for (const step of steps) {
            perform(world, step);
            await world.settle();
            world.expectNotEnded();
            expectTrueScreens(world);
            expectNobodyWaitedFor(world, step);
          }
          await heal(world);
          expectWhole(world);
          await finale(world, ending);
          expectWhole(world);
          expectTypedOnce(world);
        }),
        { numRuns: RUNS },
      );
    },
    TEST_WITHIN_MS + RUNS * 200,
  );
});
