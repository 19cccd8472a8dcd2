/** Work that several workspaces do without the runtime looking at its connections. */
import { describe, expect, it } from 'vitest';
import { TURN_COST_PER_S, UNBROKEN_COST } from '../../../protocol/limits.ts';
import { Turn } from '../../../worker/metering/turn.ts';
import { UnbrokenWork } from '../../../worker/metering/unbroken-work.ts';

describe('workspaces that work in turns', () => {
  /** Each works at half the rate that its turn allows, so that its turn never ends. */
  const work = (turns: readonly Turn[]) => {
    for (let ms = 0; ms < 1000; ms++) for (const turn of turns) turn.spend(TURN_COST_PER_S / 2 / 1000, ms);
  };

  it('[RL17] pause for others although none has used up its turn', () => {
    const isolate = new UnbrokenWork();
    const turns = [new Turn(0, isolate), new Turn(0, isolate)];
    work(turns);
    for (const turn of turns) expect(turn.pauseMs).toBeGreaterThan(0);
  });

  it('[RL17] continue when the first pause has ended, because the runtime has looked at all connections', () => {
    const isolate = new UnbrokenWork();
    const turns = [new Turn(0, isolate), new Turn(0, isolate)];
    work(turns);
    turns[0]?.beginPause()();
    for (const turn of turns) expect(turn.pauseMs).toBe(0);
  });

  it('[RL17] count a look of the runtime once, however many pauses end with it', () => {
    const isolate = new UnbrokenWork();
    const turns = Array.from({ length: 3 }, () => new Turn(0, isolate));
    work(turns);
    const [first, second, third] = turns.map((turn) => turn.beginPause());
    first?.();
    isolate.spend(UNBROKEN_COST);
    second?.();
    third?.();
    for (const turn of turns) expect(turn.pauseMs, 'the first has worked in between').toBeGreaterThan(0);
  });

  it('[RL17] do not pause before that', () => {
    const isolate = new UnbrokenWork();
    isolate.spend(UNBROKEN_COST - 1);
    expect(isolate.isTooMuch).toBe(false);
    isolate.spend(1);
    expect(isolate.isTooMuch).toBe(true);
  });
});
