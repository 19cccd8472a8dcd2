import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seedsFor, tellStory } from '../support/property.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { World } from '../support/world.ts';
import { runDeaths } from './agent-deaths.ts';

/** `HOLDFAST_DEATHS=50 npm test -- agent-deaths` is the long version. */
const DEATHS = Number(process.env.HOLDFAST_DEATHS ?? 3);

it.each(seedsFor('agent-deaths'))(
  `[F10] [IN4] no shell receives input that was typed for an earlier one, over ${DEATHS} kills of the agent (HOLDFAST_SEED=%d)`,
  (seed) =>
    tellStory('agent-deaths', seed, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'holdfast-deaths-'));
      await using world = await World.open({ agentFlags: ['--state-dir', join(dir, 'state')] });
      const { typed, heard, violations } = await runDeaths(world, dir, DEATHS, seededRandom(seed));
      console.log(`${DEATHS} deaths: ${typed} words typed, ${heard} heard by the shell they were meant for`);
      expect(violations).toEqual([]);
      expect(heard).toBeGreaterThan(DEATHS);
      rmSync(dir, { recursive: true });
    }),
  TEST_WITHIN_MS + DEATHS * 20_000,
);
