/** The memory that an isolate uses for answers, and how it is shared. */
import { describe, expect, it } from 'vitest';
import { ANSWERS_HELD_MAX_BYTES, WORKSPACE_ANSWERS_HELD_MAX_BYTES } from '../../../../protocol/limits.ts';
import { AnswerBudget } from '../../../../worker/api/link/answer-budget.ts';

const MIB = 2 ** 20;

describe('the budget of answers', () => {
  it('[X2] [RL21] limits each workspace to its share, to the byte', () => {
    const budget = new AnswerBudget();
    const account = budget.open('w', false);
    account.hold(WORKSPACE_ANSWERS_HELD_MAX_BYTES);
    expect(() => account.hold(1)).toThrow(/too many large answers/);
    account.close();
    expect(budget.heldBytes).toBe(0);
  });

  it('[X2] [RL21] gets the memory of a closed account back, once, and charges it no more', () => {
    const budget = new AnswerBudget();
    const [gone, other] = [budget.open('w', false), budget.open('w', false)];
    gone.hold(10);
    other.hold(5);
    gone.close();
    gone.close();
    gone.release(10);
    expect(() => gone.hold(1)).toThrow('the answer was abandoned');
    expect(budget.heldBytes).toBe(5);
  });

  it('[X2] [RL21] reserves a quarter for operators, whatever viewers hold', () => {
    const budget = new AnswerBudget();
    const viewer = budget.open('w', true);
    viewer.hold(WORKSPACE_ANSWERS_HELD_MAX_BYTES * 0.75);
    expect(() => viewer.hold(1)).toThrow(/too many large answers/);
    expect(() => budget.open('w', false).hold(WORKSPACE_ANSWERS_HELD_MAX_BYTES * 0.25)).not.toThrow();
  });

  it('[X2] [RL21] leaves something for the next workspace, however many came before', () => {
    const budget = new AnswerBudget();
    for (let i = 0; i < 8; i++) {
      const account = budget.open(`greedy ${i}`, false);
      for (let step = 16 * MIB; step >= 1024; step /= 2) {
        try {
          for (;;) account.hold(step);
        } catch {
          // not enough for this much, but perhaps for less
        }
      }
    }
    expect(budget.heldBytes).toBeLessThan(ANSWERS_HELD_MAX_BYTES);
    expect(() => budget.open('newcomer', false).hold(512)).not.toThrow();
  });
});
