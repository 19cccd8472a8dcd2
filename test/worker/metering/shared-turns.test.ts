/** Turns that several objects of a workspace share. */
import { describe, expect, it } from 'vitest';
import { METERED_TOKENS_MAX, TURN_COST } from '../../../protocol/limits.ts';
import { SharedTurns } from '../../../worker/metering/shared-turns.ts';

describe('the turn of a workspace', () => {
  it('[SEC21] [RL17] is one, however many objects spend it, and none of another workspace', () => {
    const turns = new SharedTurns();
    for (let object = 0; object < 8; object++) turns.of('w', 0).spend(TURN_COST / 4, 0);
    expect(turns.of('w', 0).pauseMs).toBeGreaterThan(0);
    expect(turns.of('x', 0).pauseMs).toBe(0);
  });

  it('[SEC10] is forgotten when many others have been used since', () => {
    const turns = new SharedTurns();
    turns.of('w', 0).spend(2 * TURN_COST, 0);
    for (let other = 0; other < METERED_TOKENS_MAX; other++) turns.of(`other-${other}`, 0);
    expect(turns.of('w', 0).pauseMs).toBe(0);
  });
});
