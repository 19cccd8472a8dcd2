import { expect, it } from 'vitest';
import { COMMAND_LIST_MAX_BYTES, LISTS_BURST_MAX_BYTES } from '../../../protocol/limits.ts';
import { ListMeter } from '../../../worker/metering/list-meter.ts';
import { Turn } from '../../../worker/metering/turn.ts';

const VIEWER = { role: 'viewer', tokenId: 't' } as const;
const LISTS = LISTS_BURST_MAX_BYTES / COMMAND_LIST_MAX_BYTES;

it('[RL16] a list of commands counts with the greatest length until it is answered', () => {
  const meter = new ListMeter(new Turn(0));
  for (let i = 0; i < LISTS + 1; i++) meter.asked(VIEWER, 0);
  expect(meter.waitMs(VIEWER, 0)).toBeGreaterThan(0);
  meter.answered(VIEWER, 0, true, 0);
  expect(meter.waitMs(VIEWER, 0)).toBe(0);
});

it('[X9] [RL16] an agent that answers what nobody asked for gives its clients no lists for nothing', () => {
  const meter = new ListMeter(new Turn(0));
  meter.took(VIEWER, 2 * LISTS_BURST_MAX_BYTES, 0);
  for (let i = 0; i < 2 * LISTS; i++) meter.answered(VIEWER, 0, true, 0);
  expect(meter.waitMs(VIEWER, 0)).toBeGreaterThan(0);
});
